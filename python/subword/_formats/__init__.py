"""Published formats that say what another one says: read once, and handed to the engine as that.

    model.gguf        -> a native file, or a tokenizer.json    `gguf`, `gguf_facts`, `gguf_models`
    tekken.json       -> a native file                         `tekken`
    tiktoken.model    -> a .tiktoken file, with its pattern    `tiktoken_folder`

What such a file holds is checked here; what it says is read by the engine, as it reads every file.
"""
