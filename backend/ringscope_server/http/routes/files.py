"""/files: the explanation of files that other programs wrote."""

from fastapi import APIRouter, Response

from ringscope_server.explanations.question import TOO_LARGE, ExplainQuestion, explained
from ringscope_server.explanations.views import ExplainedFiles
from ringscope_server.http.asking import AskerDep
from ringscope_server.http.auth import Viewer
from ringscope_server.http.problems import Problem, invalid

router = APIRouter(tags=["files"])


@router.post("/files/explanation", operation_id="explain_files", response_model=ExplainedFiles)
async def explain_files(question: ExplainQuestion, user: Viewer, asker: AskerDep) -> Response:
    """Say what files are, and explain them: Flight Recorder dumps, logs of NCCL_DEBUG=INFO, records of NCCL Inspector,
    reports of NCCL's RAS, and results of other tools. Nothing is stored.
    """
    found = await asker.run(explained, question)
    if found is None:
        raise Problem(413, "files_too_large", TOO_LARGE)
    if isinstance(found, list):
        raise invalid(found)
    return Response(found, media_type="application/json")
