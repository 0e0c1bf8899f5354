"""The vocabularies that llama.cpp publishes as GGUF: the hashes of the files in its sources.

By name: the vocabulary; and for most the texts and the ids beside it.
"""

#: The texts beside most vocabularies are the same.
TEXTS = "be0a11f7071f0c67d3053a2d377d8f35f0dbcb77ff11a60300fb57d36b477cf0"

HASHES: dict[str, tuple[str, ...]] = {
    "aquila": ("7c53c3c516ac67c7ca12977b9690fdea3d2ef13bbaed6378f98191a13ef5ca00",),
    "baichuan": ("4f5b955697f3bd3108070b1d5936c7eb9fc542b81c6932e59abddec75bca1963",),
    "bert-bge": (
        "fbcbe22278fb302694d5f4a41bfe48c5f90e8e3554eab1c0435387dff654a854",
        TEXTS,
        "8f95b1d4e5680634af06ac5a1b19f15ddeb743d3a6240056625e4345a4b06917",
    ),
    "command-r": (
        "a2f8cfea952ef7c391a6d92a1c309d0bd32e36384d9b9230569a7425732f27d9",
        TEXTS,
        "d2a601336e422b60a264858c01b14c5d37575fe1f9adfcafc2f3b3707903903f",
    ),
    "deepseek-coder": (
        "91cb1379f2e33af1c4866b194622b7a0e12e8f0c9dba7ba2f10d55978730bec1",
        TEXTS,
        "c2cea4584b0487e67fbd81f491bb44f89238722062126120d2c412edb3dbd853",
    ),
    "deepseek-llm": (
        "867f77537b54565f0d81d508c04edc41aa1d4ffc1a92745f225b4c1b02755f76",
        TEXTS,
        "87cfc1a8a9a7ef25d04d28c26a67b6a620af7be938c9bd0feeb4d319b9302832",
    ),
    "falcon": (
        "9f0bf8b0733680398b72e652e90f260f43782f326e75545fc0e49611a5ba35ad",
        TEXTS,
        "f8c80a0483582ef195c2129b69bb2e4e421b0f31ed7b35d84b63511d7ebae7cd",
    ),
    "gemma-4": (
        "58b1ba0b57f3b4d7c468ba4ffd91ad85190346a3d7ad7e71d1cabaae8a14bb65",
        "0528aa007b06965f980181d252b5dff7bb170a77af6157bd48bba56885374448",
        "ba8c596bcd05e97e62566fa994b42eeaeffd6a4e4b4a4abe7b5b689aa6b43bf3",
    ),
    "gpt-2": (
        "cedc56ca6e2e89f63e781696d1fd76b4b1d49e6720dee86463e915f6e90016ac",
        TEXTS,
        "48e8c4cb3ad5c37915b225f872222567c1c4dd4d66951aa53460c8d152ff6d60",
    ),
    "gpt-neox": ("ae593a7f9b8bb174ed4f5019e41530463e4dac7aa06e42dee8aa650d2bdac53d",),
    "llama-bpe": (
        "97272e430d53bc7688f52d5e0ad8ea8f163ede9f1bbd1694feaa504797d5d96e",
        TEXTS,
        "118abf2034a197fc5c9dec5204dfdeee7004c7c70952ae577f66b99e212fab9b",
    ),
    "llama-spm": (
        "16c3724582d59aa8bf84711894e833f916ee46a31d80e21312759c48bf8d0e69",
        TEXTS,
        "ad6905c925c49c022974fe67e030382e8a4f56eb4489a0b9481dcedb1ec73b29",
    ),
    "mpt": (
        "59dc382612866d1fc6c11ea531318d327598f3412d9c8f8600607cdf3030898f",
        TEXTS,
        "9d0982a7e7950b81bc2e325fb61bb7e295d2238934ab889737494de2dc4d906b",
    ),
    "nomic-bert-moe": ("90a6746926454784a98389ad36a36d89bc9cfc81db9cb0f33c941bcc959fe5f9",),
    "phi-3": (
        "967d7190d11c4842eab697079d98d56c2116e10eb617be355a2733bfc132e326",
        TEXTS,
        "ad6905c925c49c022974fe67e030382e8a4f56eb4489a0b9481dcedb1ec73b29",
    ),
    "qwen2": (
        "44c2f46b715f585c6ab513970e8a006bfa5badd6108560054921cf598d154d8c",
        TEXTS,
        "de785bb305cc6fa9d43908ed5da337f853c0b79e971348fcfb9f0915a39c5363",
    ),
    "qwen35": (
        "63ed952ff338996cf0bdf24a7b10015124273f75c6dc9bb427356aa3f67ec62c",
        "0fc6547e7876cd5b2ef64a9d319c6e39040eb53986660bd4227ed7ddef017a94",
        "5efe225820325303857d0a087a8d59216f0d1e9a9e31133e7a5b44c3c4e1e9ca",
    ),
    "refact": (
        "ac3ceda902fed91ccf74312b305d9b86c37e4f8e35fa9cc6ef3ce34fca7d4678",
        TEXTS,
        "c7e5c1c5dc1dfd3e0d56576bf699d2aca0b760b80779523ea9d323aad6cd1b88",
    ),
    "starcoder": (
        "fedb892b4e1bd3c1f2fcdae356440b14fb458f4264d586e5c987ed93df4e174d",
        TEXTS,
        "3ef12183c57ad076f9defd8e5eb454f509f5f0865cad35646abb4c4b2d2c5764",
    ),
}
