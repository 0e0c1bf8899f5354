"""What several tests share: small tokenizers, published files, random text, a running explorer."""
