"""Other people's interfaces over this engine, one file each.

Nothing here is imported by `import subword`; each file is imported by its full name:

* `subword.integrations.tiktoken`: change ``import tiktoken`` to
  ``import subword.integrations.tiktoken as tiktoken`` and leave the rest of the code as it is.
* `subword.integrations.tiktoken_cuts`: how Llama 3 and Kimi cut long texts.
* `subword.integrations.transformers`: a tokenizer as `PreTrainedTokenizerFast`.
* `subword.integrations.datasets`: the texts of a dataset to ids.
* `subword.integrations.polars` and `subword.integrations.duckdb`: expressions and functions of SQL.
* `subword.integrations.datatrove`: a step of its pipelines.
* `subword.integrations.nanochat`: the tokenizer class that nanochat works with.
* `subword.integrations.cs336`: the names of Stanford's CS336, assignment 1.
* `subword.integrations.spark` and `subword.integrations.ray`: counting, training and encoding on a
  cluster.

They use the public names of this package only, so each is also an example of how to build on it.
"""
