"""The web page that shows a tokenizer at work: its server, its answers, its views."""
