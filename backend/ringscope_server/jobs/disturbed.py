"""The condition that other load or other jobs disturbed a job, as SQL."""

from sqlalchemy import exists

from ringscope_server.db.models import Attempt, Job

# The results of training cover all attempts, so one disturbed attempt disturbs the job.
IS_DISTURBED = exists().where(Attempt.job_id == Job.id, Attempt.disturbed_by.is_not(None))
