"""/imports: results of other tools, and what belongs to imported jobs only."""

from fastapi import APIRouter, Response
from fastapi.responses import PlainTextResponse

from ringscope_server.changes import Changes, announce
from ringscope_server.http.admission import AdmittedDep
from ringscope_server.http.asking import AskerDep
from ringscope_server.http.auth import Operator, Viewer
from ringscope_server.http.dependencies import ServicesDep
from ringscope_server.http.lookups import Id
from ringscope_server.http.problems import Problem, invalid, not_found
from ringscope_server.imports import judgement, service, views
from ringscope_server.imports.prepared import PreparedFile, prepared
from ringscope_server.imports.preview import ImportPreview, ImportQuestion, is_too_large, preview
from ringscope_server.imports.views import ImportedJob, ImportView, StoredFile, StoredFiles
from ringscope_server.jobs import queries
from ringscope_server.services import Services

router = APIRouter(tags=["imports"])


@router.post("/imports/preview", operation_id="preview_imports")
async def preview_imports(question: ImportQuestion, user: Viewer, asker: AskerDep) -> ImportPreview:
    """Read files of nccl-tests, rccl-tests, OSU or SuperBench, check every row and judge the bandwidth, like
    `ringscope import --dry-run`; nothing is stored.
    """
    _require_size(question)
    return ImportPreview.model_validate(await asker.run(preview, question))


@router.post("/imports", status_code=201, operation_id="create_imports")
async def create_imports(
    question: ImportQuestion, user: Operator, admitted: AdmittedDep, services: ServicesDep, response: Response
) -> StoredFiles:
    """Store files of other tools: each table becomes a job of kind imported, or nothing at all is stored.

    The texts are kept without secrets. A file that was imported before with the same facts makes no new jobs.
    """
    _require_size(question)
    admitted.end()  # the work is done in another process
    found = await services.planner.run(user.token_id, prepared, question)
    files = [one for one in found if isinstance(one, PreparedFile)]
    if len(files) < len(found):
        raise invalid([one for one in found if not isinstance(one, PreparedFile)])
    async with services.database.write() as session:
        stored = await service.store(session, files, user.name, services.now())
    new = {job_id for _, job_ids, is_new in stored if is_new for job_id in job_ids}
    await announce(services, Changes(jobs=new))
    if not new:
        response.status_code = 200
    return await _stored(services, stored)


@router.get("/jobs/{job_id}/import", operation_id="get_import")
async def get_import(job_id: Id, user: Viewer, services: ServicesDep) -> ImportView:
    """Return the table of an imported job as it was printed, the machine, and whether the job was adopted."""
    async with services.database.read() as session:
        found = await views.import_of(session, job_id)
    if found is None:
        raise not_found("imported job", job_id)
    return found


@router.get("/jobs/{job_id}/import/text", operation_id="get_import_text", response_class=PlainTextResponse)
async def get_import_text(job_id: Id, user: Viewer, services: ServicesDep) -> PlainTextResponse:
    """Return the whole file of an imported job; secrets were removed before it was stored."""
    async with services.database.read() as session:
        found = await views.text_of(session, job_id)
    if found is None:
        raise not_found("imported job", job_id)
    return PlainTextResponse(found)


def _require_size(question: ImportQuestion) -> None:
    if is_too_large(question):
        raise Problem(413, "file_too_large", "A file may have at most 8 MiB; cut it to the tables.")


async def _stored(services: Services, stored: list[tuple[PreparedFile, list[int], bool]]) -> StoredFiles:
    files = []
    async with services.database.read() as session:
        for file, job_ids, is_new in stored:
            jobs = []
            for job in await queries.those(session, job_ids):
                judged = await judgement.of_imported(session, job.id)
                assert judged is not None
                jobs.append(ImportedJob(job=job, judgement=judged))
            files.append(StoredFile(path=file.name, sha256=file.sha256, is_new=is_new, jobs=jobs))
    return StoredFiles(files=files)
