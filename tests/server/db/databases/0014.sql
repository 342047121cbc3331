BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0014');
CREATE TABLE allocations (
	attempt_id INTEGER NOT NULL, 
	rank INTEGER NOT NULL, 
	node_id INTEGER NOT NULL, 
	slot INTEGER NOT NULL, 
	is_active BOOLEAN NOT NULL, 
	CONSTRAINT pk_allocations PRIMARY KEY (attempt_id, rank), 
	CONSTRAINT fk_allocations_attempt_id_attempts FOREIGN KEY(attempt_id) REFERENCES attempts (id), 
	CONSTRAINT fk_allocations_node_id_nodes FOREIGN KEY(node_id) REFERENCES nodes (id)
);
INSERT INTO "allocations" VALUES(1,0,1,0,0);
INSERT INTO "allocations" VALUES(1,1,1,1,0);
INSERT INTO "allocations" VALUES(2,0,1,0,0);
INSERT INTO "allocations" VALUES(2,1,1,1,0);
CREATE TABLE "attempts" (
	id INTEGER NOT NULL, 
	job_id INTEGER NOT NULL, 
	number INTEGER NOT NULL, 
	token TEXT NOT NULL, 
	is_launched BOOLEAN NOT NULL, 
	created_at DATETIME NOT NULL, 
	started_at DATETIME, 
	finished_at DATETIME, 
	environment JSON, 
	reason TEXT, 
	message TEXT DEFAULT ('') NOT NULL, 
	bad_node TEXT, 
	charged_at DATETIME, 
	bad_rank INTEGER, 
	is_hearsay BOOLEAN DEFAULT 0 NOT NULL, tally JSON, tuning JSON, disturbed_by TEXT, 
	CONSTRAINT pk_attempts PRIMARY KEY (id), 
	CONSTRAINT uq_attempts_job_id UNIQUE (job_id, number), 
	CONSTRAINT fk_attempts_job_id_jobs FOREIGN KEY(job_id) REFERENCES jobs (id)
);
INSERT INTO "attempts" VALUES(1,1,1,'',1,'2026-11-29 09:47:50.807884','2026-11-29 09:47:51.577366','2026-11-29 09:47:51.871059','{"nodes": [{"rank": 0, "host": "vm", "ranks": [0, 1], "versions": {"python": "3.11.7", "ringscope": "0.1.0", "numpy": "2.4.6", "mpi4py": "4.1.2", "mpich": "5.0.2", "ml-dtypes": "0.6.0", "numkong": "7.8.6", "torch": "2.13.0+cpu", "tensorflow": "2.21.0", "mpi": "5.0", "mpi_library": "MPICH Version: 5.0.2", "kernel": "Linux 6.18.44-fc-v669", "glibc": "2.36"}, "variables": {"OMP_NUM_THREADS": "1", "RINGSCOPE_POSITIONS": "/var/lib/ringscope/agent/attempts/1/positions", "RINGSCOPE_STACKS": "/var/lib/ringscope/agent/attempts/1/stacks", "RINGSCOPE_STEPS": "/proc/24465/fd/7", "RINGSCOPE_TUNING": "/var/lib/ringscope/agent/attempts/1/tuning.json"}, "cpu_model": "AMD EPYC", "cores": 2, "physical_cores": 2, "sockets": 1, "numa_nodes": 1, "memory_bytes": 25276502016, "time_ns": 1795945671521644985}], "ranks": [{"rank": 0, "local_rank": 0, "ranks": 2, "pid": 24527, "host": "vm", "device": "cpu", "cpus": [0, 1], "numa_node": 0, "time_ns": 1795945671515023886}, {"rank": 1, "local_rank": 1, "ranks": 2, "pid": 24528, "host": "vm", "device": "cpu", "cpus": [0, 1], "numa_node": 0, "time_ns": 1795945671515023685}]}','completed','',NULL,'2026-11-29 09:47:51.863526',NULL,0,'{"collective": "all_reduce", "ranks": 2, "cores": 2, "wrong": 0, "curves": [{"algorithm": "ring", "transport": "shared_memory", "in_place": false, "points": {"1024": [13.0565, 1, 5, 0.0, null, 256, 1024.0, 24.496, true], "8192": [47.814099999999996, 1, 5, 0.0, null, 2048, 8192.0, 380.135, true], "65536": [59.6876, 1, 5, 0.0, null, 16384, 65536.0, 465.121, true]}}, {"algorithm": "ring", "transport": "shared_memory", "in_place": true, "points": {"1024": [10.828, 1, 5, 0.0, null, 256, 1024.0, 20.28, true], "8192": [8.1431, 1, 5, 0.0, null, 2048, 8192.0, 13.069, true], "65536": [137.86990000000003, 1, 5, 0.0, null, 16384, 65536.0, 1261.114, true]}}, {"algorithm": "mpi", "transport": "mpi", "in_place": false, "points": {"1024": [10.6238, 1, 5, 0.0, null, 256, 1024.0, 25.708, true], "8192": [10.1131, 1, 5, 0.0, null, 2048, 8192.0, 19.088, true], "65536": [37.824200000000005, 1, 5, 0.0, null, 16384, 65536.0, 42.854, false]}}, {"algorithm": "mpi", "transport": "mpi", "in_place": true, "points": {"1024": [7.3208, 1, 5, 0.0, null, 256, 1024.0, 13.91, true], "8192": [10.262300000000002, 1, 5, 0.0, null, 2048, 8192.0, 24.937, true], "65536": [30.257, 1, 5, 0.0, null, 16384, 65536.0, 34.401, false]}}], "rows": 12, "limit_gb_per_s": null}',NULL,'Other load took 20 % of the processors of node vm while it ran.');
INSERT INTO "attempts" VALUES(2,2,1,'',1,'2026-11-29 09:47:52.291773','2026-11-29 09:47:57.267172','2026-11-29 09:48:05.185264','{"nodes": [{"rank": 0, "host": "vm", "ranks": [0, 1], "versions": {"python": "3.11.7", "ringscope": "0.1.0", "numpy": "2.4.6", "mpi4py": "4.1.2", "mpich": "5.0.2", "ml-dtypes": "0.6.0", "numkong": "7.8.6", "torch": "2.13.0+cpu", "tensorflow": "2.21.0", "mpi": "5.0", "mpi_library": "MPICH Version: 5.0.2", "kernel": "Linux 6.18.44-fc-v669", "glibc": "2.36"}, "variables": {"OMP_NUM_THREADS": "1", "RINGSCOPE_CHECKPOINTS": "/var/lib/ringscope/agent/checkpoints/job-2", "RINGSCOPE_POSITIONS": "/var/lib/ringscope/agent/attempts/2/positions", "RINGSCOPE_STACKS": "/var/lib/ringscope/agent/attempts/2/stacks", "RINGSCOPE_TUNING": "/var/lib/ringscope/agent/attempts/2/tuning.json"}, "cpu_model": "AMD EPYC", "cores": 2, "physical_cores": 2, "sockets": 1, "numa_nodes": 1, "memory_bytes": 25276502016, "time_ns": 1795945677286561845}], "ranks": [{"rank": 0, "local_rank": 0, "ranks": 2, "pid": 24589, "host": "vm", "device": "cpu", "cpus": [0, 1], "numa_node": 0, "time_ns": 1795945677251985362}, {"rank": 1, "local_rank": 1, "ranks": 2, "pid": 24590, "host": "vm", "device": "cpu", "cpus": [0, 1], "numa_node": 0, "time_ns": 1795945677251954906}]}','completed','',NULL,'2026-11-29 09:48:05.190873',NULL,0,NULL,'{"version": 1, "curves": [], "machine": null}',NULL);
CREATE TABLE epochs (
	id INTEGER NOT NULL, 
	job_id INTEGER NOT NULL, 
	attempt_id INTEGER NOT NULL, 
	rank INTEGER NOT NULL, 
	epoch INTEGER NOT NULL, 
	step INTEGER NOT NULL, 
	training_loss DOUBLE, 
	validation_loss DOUBLE, 
	validation_accuracy DOUBLE, 
	samples BIGINT NOT NULL, 
	duration_us DOUBLE NOT NULL, 
	validation_us DOUBLE NOT NULL, 
	checkpoint_us DOUBLE NOT NULL, 
	ended_at DATETIME NOT NULL, 
	CONSTRAINT pk_epochs PRIMARY KEY (id), 
	CONSTRAINT fk_epochs_attempt_id_attempts FOREIGN KEY(attempt_id) REFERENCES attempts (id), 
	CONSTRAINT fk_epochs_job_id_jobs FOREIGN KEY(job_id) REFERENCES jobs (id)
);
INSERT INTO "epochs" VALUES(1,2,2,0,1,4,2.28954461216926574707e+00,2.20035035875108508918e+00,2.52777777777777767909e-01,256,14761.156,8.00717899994651816086e+03,7.993128000066462846e+03,'2026-11-29 09:48:00.396547');
CREATE TABLE events (
	id INTEGER NOT NULL, 
	time DATETIME NOT NULL, 
	actor TEXT NOT NULL, 
	action TEXT NOT NULL, 
	target_type TEXT NOT NULL, 
	target_id TEXT NOT NULL, 
	"before" TEXT, 
	"after" TEXT, 
	message TEXT NOT NULL, 
	CONSTRAINT pk_events PRIMARY KEY (id)
);
INSERT INTO "events" VALUES(1,'2026-11-29 09:47:49.576937','join','node.joined','node','vm',NULL,NULL,'Node vm got a token of its own.');
INSERT INTO "events" VALUES(2,'2026-11-29 09:47:49.631394','node/vm','node.registered','node','vm',NULL,'ready','');
INSERT INTO "events" VALUES(3,'2026-11-29 09:47:49.695649','admin','login_link.created','user','admin',NULL,NULL,'');
INSERT INTO "events" VALUES(4,'2026-11-29 09:47:50.678598','admin','job.submitted','job','1',NULL,'queued','');
INSERT INTO "events" VALUES(5,'2026-11-29 09:47:50.807884','system','job.starting','job','1','queued','starting','');
INSERT INTO "events" VALUES(6,'2026-11-29 09:47:51.577366','system','job.running','job','1','starting','running','');
INSERT INTO "events" VALUES(7,'2026-11-29 09:47:51.766391','system','job.stopping','job','1','running','stopping','completed');
INSERT INTO "events" VALUES(8,'2026-11-29 09:47:51.871059','system','job.succeeded','job','1','stopping','succeeded','completed');
INSERT INTO "events" VALUES(9,'2026-11-29 09:47:52.236949','admin','job.submitted','job','2',NULL,'queued','');
INSERT INTO "events" VALUES(10,'2026-11-29 09:47:52.291773','system','job.starting','job','2','queued','starting','');
INSERT INTO "events" VALUES(11,'2026-11-29 09:47:57.267172','system','job.running','job','2','starting','running','');
INSERT INTO "events" VALUES(12,'2026-11-29 09:48:04.963710','system','job.stopping','job','2','running','stopping','completed');
INSERT INTO "events" VALUES(13,'2026-11-29 09:48:05.185264','system','job.succeeded','job','2','stopping','succeeded','completed');
INSERT INTO "events" VALUES(14,'2026-11-29 09:48:05.226601','admin','job.submitted','job','3',NULL,'queued','');
INSERT INTO "events" VALUES(15,'2026-11-29 09:48:05.248541','admin','job.cancelled','job','3','queued','cancelled','Cancelled by admin.');
INSERT INTO "events" VALUES(16,'2026-11-29 09:48:05.289307','admin','schedule.created','schedule','1',NULL,'nightly','');
INSERT INTO "events" VALUES(17,'2026-11-29 09:48:05.298636','admin','token.created','token','5',NULL,'viewer','personal token for colleague');
CREATE TABLE "idempotency_keys" (
	user TEXT NOT NULL, 
	"key" TEXT NOT NULL, 
	body_sha256 TEXT NOT NULL, 
	created_at DATETIME NOT NULL, 
	target_type TEXT DEFAULT 'job' NOT NULL, 
	target_id BIGINT DEFAULT 0 NOT NULL, 
	CONSTRAINT pk_idempotency_keys PRIMARY KEY (user, "key")
);
INSERT INTO "idempotency_keys" VALUES('admin','1795945670.672121','61ab7966cedc455d860f49421638b7d8d43e0a651bd207f212c68d181efe44dd','2026-11-29 09:47:50.678598','job',1);
INSERT INTO "idempotency_keys" VALUES('admin','1795945672.2349482','c32aa373a4dda540e31ff16850e3b551a43aa06c3de8a8e86abcfb8591ae269d','2026-11-29 09:47:52.236949','job',2);
INSERT INTO "idempotency_keys" VALUES('admin','1795945685.213555','9cc138dc4908d0996e365b7371be2ed22fffb9a0a2fdc67d4e5094f9925908ce','2026-11-29 09:48:05.226601','job',3);
CREATE TABLE insights (
	id INTEGER NOT NULL, 
	job_id INTEGER NOT NULL, 
	attempt_id INTEGER NOT NULL, 
	kind TEXT NOT NULL, 
	rank INTEGER, 
	node TEXT, 
	message TEXT NOT NULL, 
	evidence JSON NOT NULL, 
	since DATETIME NOT NULL, 
	until DATETIME, 
	CONSTRAINT pk_insights PRIMARY KEY (id), 
	CONSTRAINT fk_insights_attempt_id_attempts FOREIGN KEY(attempt_id) REFERENCES attempts (id), 
	CONSTRAINT fk_insights_job_id_jobs FOREIGN KEY(job_id) REFERENCES jobs (id)
);
CREATE TABLE "jobs" (
	id INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	spec JSON NOT NULL, 
	user TEXT NOT NULL, 
	priority INTEGER NOT NULL, 
	labels JSON NOT NULL, 
	state TEXT NOT NULL, 
	reason TEXT, 
	message TEXT NOT NULL, 
	created_at DATETIME NOT NULL, 
	started_at DATETIME, 
	finished_at DATETIME, 
	pending_reason TEXT, 
	pending_sentence TEXT, 
	estimated_start DATETIME, 
	rows_done INTEGER NOT NULL, 
	summary JSON NOT NULL, 
	ranks INTEGER NOT NULL, 
	revision INTEGER DEFAULT 1 NOT NULL, 
	cloned_from INTEGER, 
	schedule_id INTEGER, 
	fire_time DATETIME, 
	queued_at DATETIME NOT NULL, 
	not_before DATETIME, 
	pending_position INTEGER, 
	excluded_nodes JSON DEFAULT '[]' NOT NULL, collective TEXT, algorithms TEXT DEFAULT '' NOT NULL, busbw_gb_per_s DOUBLE, 
	CONSTRAINT pk_jobs PRIMARY KEY (id), 
	CONSTRAINT uq_jobs_schedule_id UNIQUE (schedule_id, fire_time), 
	CONSTRAINT fk_jobs_schedule_id_schedules FOREIGN KEY(schedule_id) REFERENCES schedules (id) ON DELETE SET NULL, 
	CONSTRAINT fk_jobs_cloned_from_jobs FOREIGN KEY(cloned_from) REFERENCES jobs (id)
);
INSERT INTO "jobs" VALUES(1,'sums','benchmark','{"name": "sums", "kind": "benchmark", "benchmark": {"collective": "all_reduce", "algorithms": ["ring", "mpi"], "transport": "auto", "topology": null, "device": "auto", "dtype": "float32", "op": "sum", "root": 0, "min_bytes": 1024, "max_bytes": 65536, "step_factor": 8, "step_bytes": null, "cycles": 1, "warmup": 1, "iterations": 5, "aggregate": 1, "blocking": 0, "average": "mean", "per_iteration": false, "skip_iterations": 0, "rotate": false, "trace": false, "check": true, "timeout_seconds": 300}, "training": null, "script": null, "placement": {"ranks": 2, "ranks_per_node": null, "nodes": null, "selector": {}, "exclusive": true, "arrangement": "pack", "same_rack": false, "gpu_model": null, "min_gpu_memory_bytes": null, "min_memory_bytes": null}, "priority": 50, "time_limit_seconds": 600, "hang_seconds": 60, "queue_timeout_seconds": null, "hold": false, "max_attempts": 3, "labels": {}}','admin',50,'{}','succeeded','completed','','2026-11-29 09:47:50.678598','2026-11-29 09:47:51.577366','2026-11-29 09:47:51.871059',NULL,NULL,NULL,12,'{"kind": "benchmark", "best": [{"algorithm": "mpi", "transport": "mpi", "busbw_gb_per_s": 2.1659781207654425, "size_bytes": 65536, "in_place": true, "is_unstable": false}, {"algorithm": "ring", "transport": "shared_memory", "busbw_gb_per_s": 1.097983500760627, "size_bytes": 65536, "in_place": false, "is_unstable": true}], "sizes": [{"size_bytes": 1024, "busbw_gb_per_s": 0.13987542345098897}, {"size_bytes": 8192, "busbw_gb_per_s": 0.7982615982771892}, {"size_bytes": 65536, "busbw_gb_per_s": 2.1659781207654425}], "min_size_p99_us": 13.91, "limit_gb_per_s": null, "ranks": 2, "cores": 2, "wrong": 0, "verdict": "No winner: that takes 12 iterations of each at least, and these are 5.", "explanation": ""}',2,1,NULL,NULL,NULL,'2026-11-29 09:47:50.678598',NULL,NULL,'[]','all_reduce','ring,mpi',NULL);
INSERT INTO "jobs" VALUES(2,'training','training','{"name": "training", "kind": "training", "benchmark": null, "training": {"strategy": "mirrored", "all_reduce": "auto", "transport": "auto", "device": "auto", "servers": 1, "consistency": "sync", "staleness": null, "model": "mlp", "model_arguments": {}, "dataset": {"name": "digits", "path": null, "samples": null, "validation_percent": 20}, "global_batch_size": 64, "batch_split": "equal", "epochs": 10, "max_steps": 4, "optimizer": "sgd", "learning_rate": 0.05, "momentum": 0.9, "weight_decay": 0.0, "precision": "float32", "accumulation_steps": 1, "bucket_bytes": 26214400, "overlap": true, "compression": "none", "top_k_percent": 1.0, "powersgd_rank": 2, "clip_norm": null, "checkpoint_every_steps": null, "resume_from": null, "target_accuracy": null, "seed": 0, "timeout_seconds": 300}, "script": null, "placement": {"ranks": 2, "ranks_per_node": null, "nodes": 1, "selector": {}, "exclusive": false, "arrangement": "pack", "same_rack": false, "gpu_model": null, "min_gpu_memory_bytes": null, "min_memory_bytes": null}, "priority": 50, "time_limit_seconds": 600, "hang_seconds": 60, "queue_timeout_seconds": null, "hold": false, "max_attempts": 3, "labels": {}}','admin',50,'{}','succeeded','completed','','2026-11-29 09:47:52.236949','2026-11-29 09:47:57.267172','2026-11-29 09:48:05.185264',NULL,NULL,NULL,4,'{"kind": "training", "loss": 2.2895446121692657, "validation_loss": 2.200350358751085, "validation_accuracy": 0.25277777777777777, "samples_per_second": 17793.736475334754, "step_seconds": 0.0107937455, "communication_seconds": 0.005021287, "exposed_communication_seconds": 0.005051080999999999, "epochs_done": 1, "steps_done": 4, "steps_total": 4, "seconds_to_target": null, "scaling_efficiency": null, "scaling_baseline_job_id": null}',2,1,NULL,NULL,NULL,'2026-11-29 09:47:52.236949',NULL,NULL,'[]',NULL,'auto',NULL);
INSERT INTO "jobs" VALUES(3,'never','benchmark','{"name": "never", "kind": "benchmark", "benchmark": {"collective": "all_reduce", "algorithms": ["ring"], "transport": "auto", "topology": null, "device": "auto", "dtype": "float32", "op": "sum", "root": 0, "min_bytes": 8, "max_bytes": 67108864, "step_factor": 2, "step_bytes": null, "cycles": 1, "warmup": 5, "iterations": 20, "aggregate": 1, "blocking": 0, "average": "mean", "per_iteration": false, "skip_iterations": 0, "rotate": false, "trace": false, "check": true, "timeout_seconds": 300}, "training": null, "script": null, "placement": {"ranks": 4, "ranks_per_node": null, "nodes": null, "selector": {}, "exclusive": true, "arrangement": "pack", "same_rack": false, "gpu_model": null, "min_gpu_memory_bytes": null, "min_memory_bytes": null}, "priority": 50, "time_limit_seconds": 600, "hang_seconds": 60, "queue_timeout_seconds": null, "hold": false, "max_attempts": 3, "labels": {}}','admin',50,'{}','cancelled','user_cancelled','Cancelled by admin.','2026-11-29 09:48:05.226601',NULL,'2026-11-29 09:48:05.248541',NULL,NULL,NULL,0,'{"kind": "benchmark", "best": [], "sizes": [], "min_size_p99_us": null, "limit_gb_per_s": null, "ranks": 0, "cores": null, "wrong": 0, "verdict": "", "explanation": ""}',4,1,NULL,NULL,NULL,'2026-11-29 09:48:05.226601',NULL,NULL,'[]','all_reduce','ring',NULL);
CREATE TABLE leases (
	name TEXT NOT NULL, 
	holder TEXT NOT NULL, 
	fence BIGINT NOT NULL, 
	expires_at DATETIME NOT NULL, 
	CONSTRAINT pk_leases PRIMARY KEY (name)
);
INSERT INTO "leases" VALUES('scheduler','9c79e6e9585828d6',1,'2026-11-29 09:48:09.738772');
CREATE TABLE log_lines (
	id INTEGER NOT NULL, 
	job_id INTEGER NOT NULL, 
	attempt_id INTEGER NOT NULL, 
	node TEXT NOT NULL, 
	rank INTEGER, 
	stream TEXT NOT NULL, 
	time_ns BIGINT NOT NULL, 
	text TEXT NOT NULL, 
	CONSTRAINT pk_log_lines PRIMARY KEY (id), 
	CONSTRAINT fk_log_lines_attempt_id_attempts FOREIGN KEY(attempt_id) REFERENCES attempts (id), 
	CONSTRAINT fk_log_lines_job_id_jobs FOREIGN KEY(job_id) REFERENCES jobs (id)
);
INSERT INTO "log_lines" VALUES(1,1,1,'vm',NULL,'stdout',1795945671750092897,'[mpiexec@vm] Exit codes: [127.0.0.1] 0,0');
INSERT INTO "log_lines" VALUES(2,2,2,'vm',0,'stdout',1795945678736035685,'batch_all_reduce: 1 all-reduce with algorithm = ring, 332.04 KiB a step, num_replicas = 2, transport = shared_memory (model: ring 13.57 us, direct 13.57 us, mpi 79.5 us; nothing measured near 332.04 KiB for all_reduce of float32 in place, 2 ranks on 1 node over shared_memory.)');
INSERT INTO "log_lines" VALUES(3,2,2,'vm',NULL,'stdout',1795945684831437953,'[mpiexec@vm] Exit codes: [127.0.0.1] 0,0');
CREATE TABLE measurements (
	id INTEGER NOT NULL, 
	job_id INTEGER NOT NULL, 
	attempt_id INTEGER NOT NULL, 
	collective TEXT NOT NULL, 
	algorithm TEXT NOT NULL, 
	chosen_algorithm TEXT, 
	chosen_because TEXT, 
	transport TEXT NOT NULL, 
	in_place BOOLEAN NOT NULL, 
	cycle INTEGER NOT NULL, 
	size_bytes BIGINT NOT NULL, 
	count BIGINT NOT NULL, 
	dtype TEXT NOT NULL, 
	op TEXT NOT NULL, 
	ranks INTEGER NOT NULL, 
	iterations INTEGER NOT NULL, 
	time_us DOUBLE NOT NULL, 
	algbw_gb_per_s DOUBLE NOT NULL, 
	busbw_gb_per_s DOUBLE NOT NULL, 
	wrong BIGINT, 
	min_us DOUBLE NOT NULL, 
	mean_us DOUBLE NOT NULL, 
	p50_us DOUBLE NOT NULL, 
	p95_us DOUBLE NOT NULL, 
	p99_us DOUBLE NOT NULL, 
	max_us DOUBLE NOT NULL, 
	stdev_us DOUBLE NOT NULL, 
	cv_percent DOUBLE NOT NULL, 
	measured_at DATETIME NOT NULL, p10_us DOUBLE, p90_us DOUBLE, time_low_us DOUBLE, time_high_us DOUBLE, p5_us DOUBLE, cores INTEGER, 
	CONSTRAINT pk_measurements PRIMARY KEY (id), 
	CONSTRAINT fk_measurements_attempt_id_attempts FOREIGN KEY(attempt_id) REFERENCES attempts (id), 
	CONSTRAINT fk_measurements_job_id_jobs FOREIGN KEY(job_id) REFERENCES jobs (id)
);
INSERT INTO "measurements" VALUES(1,1,1,'all_reduce','ring',NULL,NULL,'shared_memory',0,0,1024,256,'float32','sum',2,5,13.0565,7.84283690116034104544e-02,7.84283690116034104544e-02,0,8.944,13.6446,10.816,24.496,24.496,24.496,5.75421569286379774865e+00,4.21721097933526607465e+01,'2026-11-29 09:47:51.580633',8.944,24.496,NULL,NULL,8.944,2);
INSERT INTO "measurements" VALUES(2,1,1,'all_reduce','ring',NULL,NULL,'shared_memory',1,0,1024,256,'float32','sum',2,5,10.828,9.45696342814924262309e-02,9.45696342814924262309e-02,0,7.932,11.341,8.934,20.28,20.28,20.28,4.66797660662518776319e+00,4.11601852272743826697e+01,'2026-11-29 09:47:51.580794',7.932,20.28,NULL,NULL,7.932,2);
INSERT INTO "measurements" VALUES(3,1,1,'all_reduce','mpi',NULL,NULL,'mpi',0,0,1024,256,'float32','sum',2,5,10.6238,9.6387356689696723766e-02,9.6387356689696723766e-02,0,7.01,11.1284,7.341,25.708,25.708,25.708,7.31205280615505248675e+00,6.57062363516323273433e+01,'2026-11-29 09:47:51.581524',7.01,25.708,NULL,NULL,7.01,2);
INSERT INTO "measurements" VALUES(4,1,1,'all_reduce','mpi',NULL,NULL,'mpi',1,0,1024,256,'float32','sum',2,5,7.3208,1.39875423450988967122e-01,1.39875423450988967122e-01,0,6.049,7.85939999999999905355e+00,6.419,13.91,13.91,13.91,3.03406793595660939644e+00,3.86043201256662058548e+01,'2026-11-29 09:47:51.581642',6.049,13.91,NULL,NULL,6.049,2);
INSERT INTO "measurements" VALUES(5,1,1,'all_reduce','ring',NULL,NULL,'shared_memory',0,0,8192,2048,'float32','sum',2,5,4.78140999999999962702e+01,1.71330214309168227249e-01,1.71330214309168227249e-01,0,7.942,83.7144,9.073,380.135,380.135,380.135,1.48220117994285772054e+02,1.77054506744700773874e+02,'2026-11-29 09:47:51.591740',7.942,380.135,NULL,NULL,7.942,2);
INSERT INTO "measurements" VALUES(6,1,1,'all_reduce','ring',NULL,NULL,'shared_memory',1,0,8192,2048,'float32','sum',2,5,8.1431,1.00600508405889654817e+00,1.00600508405889654817e+00,0,7.291,8.703,7.571,13.069,13.069,13.069,2.21006823424074427819e+00,25.3943264878863,'2026-11-29 09:47:51.592222',7.291,13.069,NULL,NULL,7.291,2);
INSERT INTO "measurements" VALUES(7,1,1,'all_reduce','mpi',NULL,NULL,'mpi',0,0,8192,2048,'float32','sum',2,5,10.1131,0.810038464961288,0.810038464961288,0,8.533,1.07900000000000009239e+01,8.713,19.088,19.088,19.088,4.15204720589735121194e+00,3.84805116394564521442e+01,'2026-11-29 09:47:51.592605',8.533,19.088,NULL,NULL,8.533,2);
INSERT INTO "measurements" VALUES(8,1,1,'all_reduce','mpi',NULL,NULL,'mpi',1,0,8192,2048,'float32','sum',2,5,1.02623000000000015314e+01,7.98261598277189232675e-01,7.98261598277189232675e-01,0,7.682,1.14151999999999986812e+01,7.792,24.937,24.937,24.937,6.77618587112248604853e+00,5.93610788345581923391e+01,'2026-11-29 09:47:51.593323',7.682,24.937,NULL,NULL,7.682,2);
INSERT INTO "measurements" VALUES(9,1,1,'all_reduce','ring',NULL,NULL,'shared_memory',0,0,65536,16384,'float32','sum',2,5,59.6876,1.09798350076062689595e+00,1.09798350076062689595e+00,0,10.636,1.02746599999999986606e+02,11.437,465.121,465.121,465.121,1.81195106342969438628e+02,1.76351437753628317753e+02,'2026-11-29 09:47:51.602545',10.636,465.121,NULL,NULL,10.636,2);
INSERT INTO "measurements" VALUES(10,1,1,'all_reduce','ring',NULL,NULL,'shared_memory',1,0,65536,16384,'float32','sum',2,5,1.37869900000000029645e+02,4.7534668553469605623e-01,4.7534668553469605623e-01,0,8.413,260.6936,9.885,1261.114,1261.114,1261.114,5.00214442347519593588e+02,1.91878297874408730193e+02,'2026-11-29 09:47:51.603131',8.413,1261.114,NULL,NULL,8.413,2);
INSERT INTO "measurements" VALUES(11,1,1,'all_reduce','mpi',NULL,NULL,'mpi',0,0,65536,16384,'float32','sum',2,5,3.78242000000000047057e+01,1.7326473527529993035e+00,1.7326473527529993035e+00,0,34.051,3.80888000000000062064e+01,36.214,42.854,42.854,42.854,3.48089640179077974835e+00,9.13889752838309199489e+00,'2026-11-29 09:47:51.604561',34.051,42.854,NULL,NULL,34.051,2);
INSERT INTO "measurements" VALUES(12,1,1,'all_reduce','mpi',NULL,NULL,'mpi',1,0,65536,16384,'float32','sum',2,5,30.257,2.16597812076544249393e+00,2.16597812076544249393e+00,0,28.953,3.07456000000000031482e+01,29.774,34.401,34.401,34.401,2.03639029657872905332e+00,6.6233552006749869534e+00,'2026-11-29 09:47:51.604820',28.953,34.401,NULL,NULL,28.953,2);
CREATE TABLE members (
	attempt_id INTEGER NOT NULL, 
	member INTEGER NOT NULL, 
	node_id INTEGER NOT NULL, 
	slots INTEGER NOT NULL, 
	first_rank INTEGER NOT NULL, 
	phase TEXT NOT NULL, 
	proxy JSON, 
	last_sequence INTEGER NOT NULL, ready_at DATETIME, running_at DATETIME, ended_at DATETIME, clean_at DATETIME, clock_offset_seconds DOUBLE, clock_error_seconds DOUBLE, load JSON, 
	CONSTRAINT pk_members PRIMARY KEY (attempt_id, member), 
	CONSTRAINT fk_members_attempt_id_attempts FOREIGN KEY(attempt_id) REFERENCES attempts (id), 
	CONSTRAINT fk_members_node_id_nodes FOREIGN KEY(node_id) REFERENCES nodes (id)
);
INSERT INTO "members" VALUES(1,0,1,2,0,'clean','{"control_host": "127.0.0.1", "control_port": 43467, "proxy_id": 0}',24,'2026-11-29 09:47:50.893305','2026-11-29 09:47:51.577366','2026-11-29 09:47:51.766391','2026-11-29 09:47:51.866549',-0.002406,0.004048,'{"machine": "32eb165f-6232-4c50-a114-e659116db286", "processors": 2, "seconds": 0.8448431849999452, "busy_seconds": 1.6100000000001273, "own_seconds": 1.274817}');
INSERT INTO "members" VALUES(2,0,1,2,0,'clean','{"control_host": "127.0.0.1", "control_port": 44117, "proxy_id": 0}',12,'2026-11-29 09:47:52.334821','2026-11-29 09:47:57.267172','2026-11-29 09:48:04.963710','2026-11-29 09:48:05.174850',-0.001293,0.003181,'{"machine": "32eb165f-6232-4c50-a114-e659116db286", "processors": 2, "seconds": 12.480348275999972, "busy_seconds": 24.899999999999864, "own_seconds": 9.712427}');
CREATE TABLE "nodes" (
	id INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	address TEXT NOT NULL, 
	slots INTEGER NOT NULL, 
	metrics_address TEXT NOT NULL, 
	inventory JSON NOT NULL, 
	versions JSON NOT NULL, 
	labels JSON NOT NULL, 
	desired TEXT NOT NULL, 
	observed TEXT NOT NULL, 
	epoch INTEGER NOT NULL, 
	registered_at DATETIME NOT NULL, 
	last_heartbeat_at DATETIME NOT NULL, 
	label_overrides JSON DEFAULT '{}' NOT NULL, 
	revision INTEGER DEFAULT 1 NOT NULL, 
	desired_reason TEXT DEFAULT '' NOT NULL, 
	desired_by TEXT, 
	desired_at DATETIME, 
	observed_reason TEXT DEFAULT '' NOT NULL, 
	clock_offset_seconds DOUBLE, 
	expected_slots INTEGER DEFAULT 0 NOT NULL, 
	expected_gpus INTEGER DEFAULT 0 NOT NULL, 
	missing TEXT DEFAULT '' NOT NULL, 
	removed_at DATETIME, clock_error_seconds DOUBLE, leaves_at DATETIME, 
	CONSTRAINT pk_nodes PRIMARY KEY (id), 
	CONSTRAINT uq_nodes_name UNIQUE (name)
);
INSERT INTO "nodes" VALUES(1,'vm','127.0.0.1',4,'127.0.0.1:19014','{"hostname": "vm", "os": "Debian GNU/Linux 12 (bookworm)", "cpu_model": "AMD EPYC", "cores": 2, "memory_bytes": 25276502016, "gpus": [], "nics": [{"name": "eth0", "speed_mbit_per_s": null, "addresses": ["192.0.2.2", "fd00::2", "fe80::fc:ff:fe00:1"]}, {"name": "rslab-28e6e1", "speed_mbit_per_s": 10000, "addresses": ["10.213.170.254", "fe80::72:b8ff:fe06:a15a"]}], "machine": {"hardware": "AMD EPYC; cores [0, 1], 2 at once; NumPy 2.4.6", "cores": 2, "call_us": 0.29023000000000004, "turn_us": 1.68963625, "cache_bytes": 16777216, "add_gb_per_s": 45.60612386917189, "copy_gb_per_s": 45.60612386917189, "far_add_gb_per_s": 15.07188158254965, "far_copy_gb_per_s": 12.9412736619507}}','{"ringscope": "0.1.0", "python": "3.11.7", "mpi4py": "4.1.2", "numpy": "2.4.6", "mpi": "MPICH 5.0.2"}','{}','active','ready',1,'2026-11-29 09:47:49.631394','2026-11-29 09:48:05.241434','{}',1,'',NULL,NULL,'',-0.001293,4,0,'',NULL,0.003225,NULL);
CREATE TABLE pulses (
	attempt_id INTEGER NOT NULL, 
	node_id INTEGER NOT NULL, 
	heard_at DATETIME NOT NULL, 
	time_us BIGINT NOT NULL, 
	ranks JSON NOT NULL, 
	CONSTRAINT pk_pulses PRIMARY KEY (attempt_id, node_id), 
	CONSTRAINT fk_pulses_attempt_id_attempts FOREIGN KEY(attempt_id) REFERENCES attempts (id), 
	CONSTRAINT fk_pulses_node_id_nodes FOREIGN KEY(node_id) REFERENCES nodes (id)
);
CREATE TABLE quarantined_slots (
	node_id INTEGER NOT NULL, 
	slot INTEGER NOT NULL, 
	attempt_id INTEGER NOT NULL, 
	message TEXT NOT NULL, 
	created_at DATETIME NOT NULL, 
	CONSTRAINT pk_quarantined_slots PRIMARY KEY (node_id, slot), 
	CONSTRAINT fk_quarantined_slots_attempt_id_attempts FOREIGN KEY(attempt_id) REFERENCES attempts (id), 
	CONSTRAINT fk_quarantined_slots_node_id_nodes FOREIGN KEY(node_id) REFERENCES nodes (id) ON DELETE CASCADE
);
CREATE TABLE rank_buckets (
	attempt_id INTEGER NOT NULL, 
	rank INTEGER NOT NULL, 
	step INTEGER NOT NULL, 
	backward_us DOUBLE NOT NULL, 
	buckets JSON NOT NULL, 
	CONSTRAINT pk_rank_buckets PRIMARY KEY (attempt_id, rank), 
	CONSTRAINT fk_rank_buckets_attempt_id_attempts FOREIGN KEY(attempt_id) REFERENCES attempts (id)
);
INSERT INTO "rank_buckets" VALUES(2,1,3,849.062,'[{"bytes": 340008, "ready_us": 820.64, "start_us": 854.26, "end_us": 1602.992}]');
INSERT INTO "rank_buckets" VALUES(2,0,3,827.44,'[{"bytes": 340008, "ready_us": 799.068, "start_us": 832.297, "end_us": 1592.747}]');
CREATE TABLE rank_totals (
	attempt_id INTEGER NOT NULL, 
	rank INTEGER NOT NULL, 
	first_step INTEGER NOT NULL, 
	last_step INTEGER NOT NULL, 
	samples BIGINT NOT NULL, 
	duration_us DOUBLE NOT NULL, 
	compute_us DOUBLE NOT NULL, 
	communication_us DOUBLE NOT NULL, 
	exposed_us DOUBLE NOT NULL, 
	last_loss DOUBLE, 
	CONSTRAINT pk_rank_totals PRIMARY KEY (attempt_id, rank), 
	CONSTRAINT fk_rank_totals_attempt_id_attempts FOREIGN KEY(attempt_id) REFERENCES attempts (id)
);
INSERT INTO "rank_totals" VALUES(2,0,0,3,96,10986.206,7.64564100000000053131e+03,3.32135599999999976726e+03,3.34056499999999959981e+03,2.24981331825256347656e+00);
INSERT INTO "rank_totals" VALUES(2,1,0,3,96,10601.285,3.83968800000000101127e+03,6721.218,6.76159699999999884304e+03,2.26310396194458);
CREATE TABLE schedules (
	id INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	cron TEXT NOT NULL, 
	timezone TEXT NOT NULL, 
	overlap TEXT NOT NULL, 
	spec JSON NOT NULL, 
	user TEXT NOT NULL, 
	is_enabled BOOLEAN NOT NULL, 
	revision INTEGER NOT NULL, 
	created_at DATETIME NOT NULL, 
	next_fire_at DATETIME, 
	last_fire_at DATETIME, 
	last_job_id BIGINT, 
	last_outcome TEXT NOT NULL, 
	CONSTRAINT pk_schedules PRIMARY KEY (id), 
	CONSTRAINT uq_schedules_name UNIQUE (name)
);
INSERT INTO "schedules" VALUES(1,'nightly','0 3 * * *','UTC','skip','{"name": "", "kind": "benchmark", "benchmark": {"collective": "all_reduce", "algorithms": ["ring"], "transport": "auto", "topology": null, "device": "auto", "dtype": "float32", "op": "sum", "root": 0, "min_bytes": 8, "max_bytes": 67108864, "step_factor": 2, "step_bytes": null, "cycles": 1, "warmup": 5, "iterations": 20, "aggregate": 1, "blocking": 0, "average": "mean", "per_iteration": false, "skip_iterations": 0, "rotate": false, "trace": false, "check": true, "timeout_seconds": 300}, "training": null, "script": null, "placement": {"ranks": 2, "ranks_per_node": null, "nodes": null, "selector": {}, "exclusive": true, "arrangement": "pack", "same_rack": false, "gpu_model": null, "min_gpu_memory_bytes": null, "min_memory_bytes": null}, "priority": 50, "time_limit_seconds": 600, "hang_seconds": 60, "queue_timeout_seconds": null, "hold": false, "max_attempts": 3, "labels": {}}','admin',1,1,'2026-11-29 09:48:05.289307','2026-11-30 03:00:00.000000',NULL,NULL,'');
CREATE TABLE steps (
	id INTEGER NOT NULL, 
	job_id INTEGER NOT NULL, 
	attempt_id INTEGER NOT NULL, 
	rank INTEGER NOT NULL, 
	step INTEGER NOT NULL, 
	op TEXT NOT NULL, 
	algorithm TEXT NOT NULL, 
	transport TEXT NOT NULL, 
	in_place BOOLEAN NOT NULL, 
	bytes BIGINT NOT NULL, 
	started_at_ns BIGINT NOT NULL, 
	duration_us DOUBLE NOT NULL, 
	compute_us DOUBLE NOT NULL, 
	communication_us DOUBLE NOT NULL, 
	exposed_us DOUBLE NOT NULL, 
	loss DOUBLE, samples INTEGER, lag INTEGER, 
	CONSTRAINT pk_steps PRIMARY KEY (id), 
	CONSTRAINT fk_steps_attempt_id_attempts FOREIGN KEY(attempt_id) REFERENCES attempts (id), 
	CONSTRAINT fk_steps_job_id_jobs FOREIGN KEY(job_id) REFERENCES jobs (id)
);
INSERT INTO "steps" VALUES(1,1,1,0,0,'all_reduce','ring','shared_memory',0,1024,1795945671580630372,24.496,0.0,24.496,24.496,NULL,NULL,NULL);
INSERT INTO "steps" VALUES(2,1,1,0,1,'all_reduce','ring','shared_memory',0,1024,1795945671580654868,14.172,0.0,14.172,14.172,NULL,NULL,NULL);
INSERT INTO "steps" VALUES(3,1,1,0,2,'all_reduce','ring','shared_memory',0,1024,1795945671580669040,10.715,0.0,10.715,10.715,NULL,NULL,NULL);
INSERT INTO "steps" VALUES(4,1,1,0,3,'all_reduce','ring','shared_memory',0,1024,1795945671580679755,9.515,0.0,9.515,9.515,NULL,NULL,NULL);
CREATE TABLE "tokens" (
	id INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	role TEXT NOT NULL, 
	sha256 TEXT NOT NULL, 
	created_at DATETIME NOT NULL, 
	expires_at DATETIME, 
	note TEXT DEFAULT '' NOT NULL, 
	node TEXT, 
	parent_id INTEGER, 
	created_by TEXT DEFAULT 'system' NOT NULL, 
	last_used_at DATETIME, rotation_wanted_at DATETIME, next_sha256 TEXT, 
	CONSTRAINT pk_tokens PRIMARY KEY (id), 
	CONSTRAINT uq_tokens_sha256 UNIQUE (sha256), 
	CONSTRAINT fk_tokens_parent_id_tokens FOREIGN KEY(parent_id) REFERENCES tokens (id) ON DELETE CASCADE
);
INSERT INTO "tokens" VALUES(1,'admin','personal','admin','efff041791027ec01cb3727335c57011306b238d04c621266d73a4ad4f069010','2026-11-29 09:47:46.476775',NULL,'of the data directory 35ad191d',NULL,NULL,'system','2026-11-29 09:48:05.298394',NULL,NULL);
INSERT INTO "tokens" VALUES(2,'join','join','join','15d58231731e84cd28f777abc33f5e6ce8a3acea68b03a7cc8a06578681e159f','2026-11-29 09:47:46.476775',NULL,'of the data directory 35ad191d',NULL,NULL,'system','2026-11-29 09:47:49.576641',NULL,NULL);
INSERT INTO "tokens" VALUES(3,'vm','agent','agent','aa69da51ee3db03c8f4d7c1ad16b1aca2b78cfd6b4a5d35ee27e022096ca363c','2026-11-29 09:47:49.576937',NULL,'','vm',2,'join','2026-11-29 09:48:05.241253',NULL,NULL);
INSERT INTO "tokens" VALUES(4,'admin','login','admin','077d00ab9442c689bce0f70a9528504d7b6055378777047395e540c904f2a03b','2026-11-29 09:47:49.695649','2026-11-30 09:47:49.695649','',NULL,1,'admin',NULL,NULL,NULL);
INSERT INTO "tokens" VALUES(5,'colleague','personal','viewer','e76414da44a5c650c300e0fd88e5ac1922b8acca16d9d679ba7c75e8bcc54226','2026-11-29 09:48:05.298636',NULL,'',NULL,NULL,'admin',NULL,NULL,NULL);
CREATE TABLE traces (
	id INTEGER NOT NULL, 
	job_id INTEGER NOT NULL, 
	attempt_id INTEGER NOT NULL, 
	rank INTEGER NOT NULL, 
	collective TEXT NOT NULL, 
	algorithm TEXT NOT NULL, 
	chosen_algorithm TEXT, 
	transport TEXT NOT NULL, 
	in_place BOOLEAN NOT NULL, 
	size_bytes BIGINT NOT NULL, 
	dtype TEXT NOT NULL, 
	started_at_ns BIGINT NOT NULL, 
	duration_ns BIGINT NOT NULL, 
	transfers JSON NOT NULL, 
	left_out INTEGER NOT NULL, 
	CONSTRAINT pk_traces PRIMARY KEY (id), 
	CONSTRAINT fk_traces_attempt_id_attempts FOREIGN KEY(attempt_id) REFERENCES attempts (id), 
	CONSTRAINT fk_traces_job_id_jobs FOREIGN KEY(job_id) REFERENCES jobs (id)
);
CREATE TABLE usage (
	user TEXT NOT NULL, 
	slot_seconds DOUBLE NOT NULL, 
	updated_at DATETIME NOT NULL, 
	CONSTRAINT pk_usage PRIMARY KEY (user)
);
INSERT INTO "usage" VALUES('admin',2.79132993562667088829e+01,'2026-11-29 09:48:05.190873');
CREATE TABLE webhook_deliveries (
	id INTEGER NOT NULL, 
	webhook_id INTEGER NOT NULL, 
	message_id TEXT NOT NULL, 
	event_type TEXT NOT NULL, 
	body TEXT NOT NULL, 
	state TEXT NOT NULL, 
	tries INTEGER NOT NULL, 
	next_attempt_at DATETIME, 
	last_status INTEGER, 
	last_error TEXT NOT NULL, 
	created_at DATETIME NOT NULL, 
	delivered_at DATETIME, 
	CONSTRAINT pk_webhook_deliveries PRIMARY KEY (id), 
	CONSTRAINT fk_webhook_deliveries_webhook_id_webhooks FOREIGN KEY(webhook_id) REFERENCES webhooks (id) ON DELETE CASCADE
);
CREATE TABLE webhooks (
	id INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	url TEXT NOT NULL, 
	secret TEXT NOT NULL, 
	events JSON NOT NULL, 
	user TEXT NOT NULL, 
	is_enabled BOOLEAN NOT NULL, 
	revision INTEGER NOT NULL, 
	created_at DATETIME NOT NULL, 
	CONSTRAINT pk_webhooks PRIMARY KEY (id), 
	CONSTRAINT uq_webhooks_name UNIQUE (name)
);
CREATE INDEX ix_events_target ON events (target_type, target_id, id);
CREATE UNIQUE INDEX uq_allocations_active_slot ON allocations (node_id, slot) WHERE is_active;
CREATE INDEX ix_log_lines_job_id ON log_lines (job_id);
CREATE INDEX ix_measurements_job_id ON measurements (job_id);
CREATE INDEX ix_members_node_phase ON members (node_id, phase);
CREATE INDEX ix_schedules_next_fire_at ON schedules (next_fire_at);
CREATE INDEX ix_webhook_deliveries_state_next_attempt_at ON webhook_deliveries (state, next_attempt_at);
CREATE INDEX ix_webhook_deliveries_webhook_id_id ON webhook_deliveries (webhook_id, id);
CREATE INDEX ix_events_actor_id ON events (actor, id);
CREATE INDEX ix_events_time ON events (time);
CREATE INDEX ix_jobs_state_id ON jobs (state, id);
CREATE INDEX ix_jobs_user_id ON jobs (user, id);
CREATE INDEX ix_jobs_user_state_id ON jobs (user, state, id);
CREATE INDEX ix_measurements_attempt_id ON measurements (attempt_id);
CREATE INDEX ix_steps_attempt_id_id ON steps (attempt_id, id);
CREATE INDEX ix_tokens_parent_id ON tokens (parent_id);
CREATE INDEX ix_attempts_job_id ON attempts (job_id);
CREATE INDEX ix_attempts_uncharged ON attempts (finished_at) WHERE charged_at IS NULL;
CREATE INDEX ix_insights_job_id ON insights (job_id);
CREATE INDEX ix_insights_attempt_id ON insights (attempt_id);
CREATE INDEX ix_insights_active ON insights (job_id) WHERE until IS NULL;
CREATE INDEX ix_epochs_job_id ON epochs (job_id);
CREATE INDEX ix_traces_attempt_id ON traces (attempt_id);
CREATE INDEX ix_jobs_busbw_gb_per_s_id ON jobs (busbw_gb_per_s, id);
CREATE INDEX ix_jobs_name_id ON jobs (name, id);
CREATE UNIQUE INDEX ix_tokens_next_sha256 ON tokens (next_sha256);
CREATE INDEX ix_jobs_ranks_id ON jobs (ranks, id);
CREATE INDEX ix_jobs_finished_at ON jobs (finished_at);
COMMIT;
