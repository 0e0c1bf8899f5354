"""Our tokenizers inside of other libraries: tiktoken, transformers, datasets, Spark, Ray."""
