"""/imports: results of other tools."""

from fastapi import APIRouter

from ringscope_server.http.asking import AskerDep
from ringscope_server.http.auth import Viewer
from ringscope_server.http.problems import Problem
from ringscope_server.imports.preview import ImportPreview, ImportQuestion, is_too_large, preview

router = APIRouter(prefix="/imports", tags=["imports"])


@router.post("/preview", operation_id="preview_imports")
async def preview_imports(question: ImportQuestion, user: Viewer, asker: AskerDep) -> ImportPreview:
    """Read files of nccl-tests, rccl-tests, OSU or SuperBench, check every row and judge the bandwidth, like
    `ringscope import --dry-run`; nothing is stored.
    """
    if is_too_large(question):
        raise Problem(413, "file_too_large", "A file may have at most 8 MiB; cut it to the tables.")
    return ImportPreview.model_validate(await asker.run(preview, question))
