BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0020');
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
	is_hearsay BOOLEAN DEFAULT 0 NOT NULL, tally JSON, tuning JSON, disturbed_by TEXT, progressed_at DATETIME, 
	CONSTRAINT pk_attempts PRIMARY KEY (id), 
	CONSTRAINT fk_attempts_job_id_jobs FOREIGN KEY(job_id) REFERENCES jobs (id), 
	CONSTRAINT uq_attempts_job_id UNIQUE (job_id, number)
);
INSERT INTO "attempts" VALUES(1,1,1,'',1,'2026-11-29 09:48:26.944195','2026-11-29 09:48:31.201134','2026-11-29 09:48:32.240756','{"nodes": [{"rank": 0, "host": "vm", "ranks": [0, 1], "versions": {"python": "3.11.7", "ringscope": "0.1.0", "numpy": "2.4.6", "mpi4py": "4.1.2", "mpich": "5.0.2", "ml-dtypes": "0.6.0", "numkong": "7.8.6", "torch": "2.13.0+cpu", "tensorflow": "2.21.0", "mpi": "5.0", "mpi_library": "MPICH Version: 5.0.2", "kernel": "Linux 6.18.44-fc-v669", "glibc": "2.36"}, "variables": {"OMP_NUM_THREADS": "1", "RINGSCOPE_NODE_ADDRESS": "127.0.0.1", "RINGSCOPE_POSITIONS": "/var/lib/ringscope/agent/attempts/1/positions", "RINGSCOPE_STACKS": "/var/lib/ringscope/agent/attempts/1/stacks", "RINGSCOPE_STEPS": "/proc/25579/fd/7", "RINGSCOPE_TUNING": "/var/lib/ringscope/agent/attempts/1/tuning.json"}, "cpu_model": "AMD EPYC", "cores": 2, "physical_cores": 2, "sockets": 1, "numa_nodes": 1, "memory_bytes": 25276502016, "time_ns": 1795945711334063349}], "ranks": [{"rank": 0, "local_rank": 0, "ranks": 2, "pid": 25596, "host": "vm", "device": "cpu", "cpus": [0, 1], "numa_node": 0, "time_ns": 1795945711294444782}, {"rank": 1, "local_rank": 1, "ranks": 2, "pid": 25597, "host": "vm", "device": "cpu", "cpus": [0, 1], "numa_node": 0, "time_ns": 1795945711301129046}]}','completed','',NULL,'2026-11-29 09:48:32.308736',NULL,0,'{"collective": "all_reduce", "ranks": 2, "cores": 2, "wrong": 0, "curves": [{"algorithm": "ring", "transport": "shared_memory", "in_place": false, "points": {"1024": [2700.1647, 1, 5, 0.0, null, 256, 1024.0, 7153.5, true, [], 1], "8192": [635.7086999999999, 1, 5, 0.0, null, 2048, 8192.0, 1677.202, true, [], 1], "65536": [16.262499999999996, 1, 5, 0.0, null, 16384, 65536.0, 22.274, false, [], 1]}}, {"algorithm": "ring", "transport": "shared_memory", "in_place": true, "points": {"1024": [2339.5716999999995, 1, 5, 0.0, null, 256, 1023.9999999999998, 7832.57, true, [], 1], "8192": [514.6859, 1, 5, 0.0, null, 2048, 8192.0, 1980.483, true, [], 1], "65536": [31.5538, 1, 5, 0.0, null, 16384, 65536.0, 87.79, true, [], 1]}}, {"algorithm": "mpi", "transport": "mpi", "in_place": false, "points": {"1024": [6966.3374, 1, 5, 0.0, null, 256, 1024.0, 13081.58, true, [], 1], "8192": [824.1508000000001, 1, 5, 0.0, null, 2048, 8192.0, 1436.545, true, [], 1], "65536": [267.2602, 1, 5, 0.0, null, 16384, 65535.999999999985, 1204.27, true, [], 1]}}, {"algorithm": "mpi", "transport": "mpi", "in_place": true, "points": {"1024": [1271.7957000000001, 1, 5, 0.0, null, 256, 1024.0, 3913.866, true, [], 1], "8192": [709.6364000000001, 1, 5, 0.0, null, 2048, 8192.0, 1918.461, true, [], 1], "65536": [1468.0266000000001, 1, 5, 0.0, null, 16384, 65536.0, 6516.264, true, [], 1]}}], "rows": 12, "limit_gb_per_s": null}',NULL,'Other load took 80 % of the processors of node vm while it ran.','2026-11-29 09:48:31.201134');
INSERT INTO "attempts" VALUES(2,2,1,'',1,'2026-11-29 09:48:32.580655','2026-11-29 09:48:33.394200','2026-11-29 09:48:48.550449','{"nodes": [{"rank": 0, "host": "vm", "ranks": [0, 1], "versions": {"python": "3.11.7", "ringscope": "0.1.0", "numpy": "2.4.6", "mpi4py": "4.1.2", "mpich": "5.0.2", "ml-dtypes": "0.6.0", "numkong": "7.8.6", "torch": "2.13.0+cpu", "tensorflow": "2.21.0", "mpi": "5.0", "mpi_library": "MPICH Version: 5.0.2", "kernel": "Linux 6.18.44-fc-v669", "glibc": "2.36"}, "variables": {"OMP_NUM_THREADS": "1", "RINGSCOPE_CHECKPOINTS": "/var/lib/ringscope/agent/checkpoints/job-2", "RINGSCOPE_NODE_ADDRESS": "127.0.0.1", "RINGSCOPE_POSITIONS": "/var/lib/ringscope/agent/attempts/2/positions", "RINGSCOPE_STACKS": "/var/lib/ringscope/agent/attempts/2/stacks", "RINGSCOPE_TUNING": "/var/lib/ringscope/agent/attempts/2/tuning.json"}, "cpu_model": "AMD EPYC", "cores": 2, "physical_cores": 2, "sockets": 1, "numa_nodes": 1, "memory_bytes": 25276502016, "time_ns": 1795945715214164982}], "ranks": [{"rank": 0, "local_rank": 0, "ranks": 2, "pid": 25731, "host": "vm", "device": "cpu", "cpus": [0, 1], "numa_node": 0, "time_ns": 1795945715188923772}, {"rank": 1, "local_rank": 1, "ranks": 2, "pid": 25732, "host": "vm", "device": "cpu", "cpus": [0, 1], "numa_node": 0, "time_ns": 1795945715188888714}]}','completed','',NULL,'2026-11-29 09:48:48.557074',NULL,0,NULL,'{"version": 1, "curves": [], "machine": null}',NULL,'2026-11-29 09:48:33.394200');
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
INSERT INTO "epochs" VALUES(1,2,2,0,1,4,2.28954461216926574707e+00,2.20035035875108508918e+00,2.52777777777777767909e-01,256,24359.641,6.21103000003131455741e+03,1.86902849999341924558e+04,'2026-11-29 09:48:42.642864');
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
INSERT INTO "events" VALUES(1,'2026-11-29 09:48:26.148704','join','node.joined','node','vm',NULL,NULL,'Node vm got a token of its own.');
INSERT INTO "events" VALUES(2,'2026-11-29 09:48:26.289667','node/vm','node.registered','node','vm',NULL,'ready','');
INSERT INTO "events" VALUES(3,'2026-11-29 09:48:26.467348','admin','login_link.created','user','admin',NULL,'admin','');
INSERT INTO "events" VALUES(4,'2026-11-29 09:48:26.769747','admin','job.submitted','job','1',NULL,'queued','');
INSERT INTO "events" VALUES(5,'2026-11-29 09:48:26.944195','system','job.starting','job','1','queued','starting','');
INSERT INTO "events" VALUES(6,'2026-11-29 09:48:31.201134','system','job.running','job','1','starting','running','');
INSERT INTO "events" VALUES(7,'2026-11-29 09:48:32.122147','system','job.stopping','job','1','running','stopping','completed');
INSERT INTO "events" VALUES(8,'2026-11-29 09:48:32.240756','system','job.succeeded','job','1','stopping','succeeded','completed');
INSERT INTO "events" VALUES(9,'2026-11-29 09:48:32.422496','admin','job.submitted','job','2',NULL,'queued','');
INSERT INTO "events" VALUES(10,'2026-11-29 09:48:32.580655','system','job.starting','job','2','queued','starting','');
INSERT INTO "events" VALUES(11,'2026-11-29 09:48:33.394200','system','job.running','job','2','starting','running','');
INSERT INTO "events" VALUES(12,'2026-11-29 09:48:48.241293','system','job.stopping','job','2','running','stopping','completed');
INSERT INTO "events" VALUES(13,'2026-11-29 09:48:48.550449','system','job.succeeded','job','2','stopping','succeeded','completed');
INSERT INTO "events" VALUES(14,'2026-11-29 09:48:48.970193','admin','job.submitted','job','3',NULL,'queued','');
INSERT INTO "events" VALUES(15,'2026-11-29 09:48:49.088756','admin','job.cancelled','job','3','queued','cancelled','Cancelled by admin.');
INSERT INTO "events" VALUES(16,'2026-11-29 09:48:49.420895','admin','schedule.created','schedule','1',NULL,'nightly','');
INSERT INTO "events" VALUES(17,'2026-11-29 09:48:49.456680','admin','token.created','token','5',NULL,'viewer','personal token for colleague');
CREATE TABLE "idempotency_keys" (
	user TEXT NOT NULL, 
	"key" TEXT NOT NULL, 
	body_sha256 TEXT NOT NULL, 
	created_at DATETIME NOT NULL, 
	target_type TEXT DEFAULT 'job' NOT NULL, 
	target_id BIGINT DEFAULT 0 NOT NULL, 
	CONSTRAINT pk_idempotency_keys PRIMARY KEY (user, "key")
);
INSERT INTO "idempotency_keys" VALUES('admin','1795945706.7398012','7cd49a2113a7daa21241cd03ba995e9f3ed3f8f35392b7cb46631e17504abb41','2026-11-29 09:48:26.805631','job',1);
INSERT INTO "idempotency_keys" VALUES('admin','1795945712.4204803','9be77fe6b78cef0cc8ee8e369474ccc37968b947a65e2c5da57a8bdef1ea261a','2026-11-29 09:48:32.424456','job',2);
INSERT INTO "idempotency_keys" VALUES('admin','1795945728.937353','8a0192ffc97c4a780dc6507c6a8b85ee00c427eb8c287171002845bb838b7dc5','2026-11-29 09:48:48.973288','job',3);
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
INSERT INTO "jobs" VALUES(1,'sums','benchmark','{"name": "sums", "kind": "benchmark", "benchmark": {"collective": "all_reduce", "algorithms": ["ring", "mpi"], "transport": "auto", "topology": null, "device": "auto", "dtype": "float32", "op": "sum", "root": 0, "min_bytes": 1024, "max_bytes": 65536, "step_factor": 8, "step_bytes": null, "cycles": 1, "warmup": 1, "iterations": 5, "aggregate": 1, "blocking": 0, "average": "mean", "per_iteration": false, "skip_iterations": 0, "rotate": false, "trace": false, "check": true, "timeout_seconds": 300}, "training": null, "script": null, "placement": {"ranks": 2, "ranks_per_node": null, "nodes": null, "node_names": [], "selector": {}, "exclusive": true, "arrangement": "pack", "same_rack": false, "quiet": false, "gpu_model": null, "min_gpu_memory_bytes": null, "min_memory_bytes": null}, "priority": 50, "time_limit_seconds": 600, "start_seconds": null, "load_seconds": 1800, "hang_seconds": null, "queue_timeout_seconds": null, "hold": false, "max_attempts": 3, "labels": {}}','admin',50,'{}','succeeded','completed','','2026-11-29 09:48:26.769747','2026-11-29 09:48:31.201134','2026-11-29 09:48:32.240756',NULL,NULL,NULL,12,'{"kind": "benchmark", "best": [{"algorithm": "ring", "transport": "shared_memory", "busbw_gb_per_s": 4.02988470407379, "size_bytes": 65536, "in_place": false, "iterations": 5, "is_unstable": false}, {"algorithm": "mpi", "transport": "mpi", "busbw_gb_per_s": 0.24521421446216077, "size_bytes": 65536, "in_place": false, "iterations": 5, "is_unstable": true}], "sizes": [{"size_bytes": 1024, "busbw_gb_per_s": 0.0003792361258555821, "is_unstable": true}, {"size_bytes": 8192, "busbw_gb_per_s": 0.012886405361449357, "is_unstable": true}, {"size_bytes": 65536, "busbw_gb_per_s": 4.02988470407379, "is_unstable": false}], "min_size_p99_us": 7153.5, "min_size_iterations": 5, "limit_gb_per_s": null, "ranks": 2, "cores": 2, "wrong": 0, "winners": [], "verdict": "No winner: a comparison needs at least 12 iterations of each, and there are 5.", "explanation": ""}',2,1,NULL,NULL,NULL,'2026-11-29 09:48:26.769747',NULL,NULL,'[]','all_reduce','ring,mpi',NULL);
INSERT INTO "jobs" VALUES(2,'training','training','{"name": "training", "kind": "training", "benchmark": null, "training": {"strategy": "mirrored", "all_reduce": "auto", "transport": "auto", "device": "auto", "servers": 1, "consistency": "sync", "staleness": null, "model": "mlp", "model_arguments": {}, "dataset": {"name": "digits", "path": null, "samples": null, "validation_percent": 20}, "global_batch_size": 64, "batch_split": "equal", "epochs": 10, "max_steps": 4, "optimizer": "sgd", "learning_rate": 0.05, "momentum": 0.9, "weight_decay": 0.0, "precision": "float32", "accumulation_steps": 1, "bucket_bytes": 26214400, "overlap": true, "compression": "none", "top_k_percent": 1.0, "powersgd_rank": 2, "clip_norm": null, "on_nan": "stop", "checkpoint_every_steps": null, "resume_from": null, "target_accuracy": null, "seed": 0, "timeout_seconds": 300}, "script": null, "placement": {"ranks": 2, "ranks_per_node": null, "nodes": 1, "node_names": [], "selector": {}, "exclusive": false, "arrangement": "pack", "same_rack": false, "quiet": false, "gpu_model": null, "min_gpu_memory_bytes": null, "min_memory_bytes": null}, "priority": 50, "time_limit_seconds": 600, "start_seconds": null, "load_seconds": 1800, "hang_seconds": null, "queue_timeout_seconds": null, "hold": false, "max_attempts": 3, "labels": {}}','admin',50,'{}','succeeded','completed','','2026-11-29 09:48:32.422496','2026-11-29 09:48:33.394200','2026-11-29 09:48:48.550449',NULL,NULL,NULL,4,'{"kind": "training", "loss": 2.2895446121692657, "validation_loss": 2.200350358751085, "validation_accuracy": 0.25277777777777777, "samples_per_second": 18613.570188036916, "step_seconds": 0.010693561499999999, "communication_seconds": 0.006465978999999999, "exposed_communication_seconds": 0.0064884569999999996, "epochs_done": 1, "steps_done": 4, "steps_total": 4, "seconds_to_target": null, "scaling_efficiency": null, "scaling_baseline_job_id": null}',2,1,NULL,NULL,NULL,'2026-11-29 09:48:32.422496',NULL,NULL,'[]',NULL,'auto',NULL);
INSERT INTO "jobs" VALUES(3,'never','benchmark','{"name": "never", "kind": "benchmark", "benchmark": {"collective": "all_reduce", "algorithms": ["ring"], "transport": "auto", "topology": null, "device": "auto", "dtype": "float32", "op": "sum", "root": 0, "min_bytes": 8, "max_bytes": 67108864, "step_factor": 2, "step_bytes": null, "cycles": 1, "warmup": 5, "iterations": 20, "aggregate": 1, "blocking": 0, "average": "mean", "per_iteration": false, "skip_iterations": 0, "rotate": false, "trace": false, "check": true, "timeout_seconds": 300}, "training": null, "script": null, "placement": {"ranks": 4, "ranks_per_node": null, "nodes": null, "node_names": [], "selector": {}, "exclusive": true, "arrangement": "pack", "same_rack": false, "quiet": false, "gpu_model": null, "min_gpu_memory_bytes": null, "min_memory_bytes": null}, "priority": 50, "time_limit_seconds": 600, "start_seconds": null, "load_seconds": 1800, "hang_seconds": null, "queue_timeout_seconds": null, "hold": false, "max_attempts": 3, "labels": {}}','admin',50,'{}','cancelled','user_cancelled','Cancelled by admin.','2026-11-29 09:48:48.970193',NULL,'2026-11-29 09:48:49.088756',NULL,NULL,NULL,0,'{"kind": "benchmark", "best": [], "sizes": [], "min_size_p99_us": null, "min_size_iterations": null, "limit_gb_per_s": null, "ranks": 0, "cores": null, "wrong": 0, "winners": [], "verdict": "", "explanation": ""}',4,1,NULL,NULL,NULL,'2026-11-29 09:48:48.970193',NULL,NULL,'[]','all_reduce','ring',NULL);
CREATE TABLE leases (
	name TEXT NOT NULL, 
	holder TEXT NOT NULL, 
	fence BIGINT NOT NULL, 
	expires_at DATETIME NOT NULL, 
	CONSTRAINT pk_leases PRIMARY KEY (name)
);
INSERT INTO "leases" VALUES('scheduler','d24c2187aa2dca2b',1,'2026-11-29 09:48:53.375803');
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
INSERT INTO "log_lines" VALUES(1,1,1,'vm',NULL,'stdout',1795945712074383338,'[mpiexec@vm] Exit codes: [127.0.0.1] 0,0');
INSERT INTO "log_lines" VALUES(2,2,2,'vm',0,'stdout',1795945717172408414,'batch_all_reduce: 1 all-reduce with algorithm = ring, 332 KiB a step, num_replicas = 2, transport = shared_memory. Model: ring 13.58 us, direct 13.58 us, mpi 80.83 us; no measurement near 332 KiB for all_reduce of float32 in place, 2 ranks on 1 node over shared_memory.');
INSERT INTO "log_lines" VALUES(3,2,2,'vm',NULL,'stdout',1795945727957459363,'[mpiexec@vm] Exit codes: [127.0.0.1] 0,0');
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
	measured_at DATETIME NOT NULL, p10_us DOUBLE, p90_us DOUBLE, time_low_us DOUBLE, time_high_us DOUBLE, p5_us DOUBLE, cores INTEGER, channels INTEGER, rounds_us JSON, 
	CONSTRAINT pk_measurements PRIMARY KEY (id), 
	CONSTRAINT fk_measurements_attempt_id_attempts FOREIGN KEY(attempt_id) REFERENCES attempts (id), 
	CONSTRAINT fk_measurements_job_id_jobs FOREIGN KEY(job_id) REFERENCES jobs (id)
);
INSERT INTO "measurements" VALUES(1,1,1,'all_reduce','ring',NULL,NULL,'shared_memory',0,0,1024,256,'float32','sum',2,5,2700.1647,3.79236125855582112843e-04,3.79236125855582112843e-04,0,871.686,3259.8422,2727.723,7153.5,7153.5,7153.5,2.08113327976536857015e+03,6.38415344081798963316e+01,'2026-11-29 09:48:31.558592',871.686,7153.5,NULL,NULL,871.686,2,1,'[7153.5, 2641.18, 871.686, 2905.12, 2727.72]');
INSERT INTO "measurements" VALUES(2,1,1,'all_reduce','ring',NULL,NULL,'shared_memory',1,0,1024,256,'float32','sum',2,5,2.33957169999999950969e+03,4.37686949282212688604e-04,4.37686949282212688604e-04,0,227.498,2783.6248,1986.462,7832.57,7832.57,7832.57,2.6492009438028212571e+03,9.51709060719253869837e+01,'2026-11-29 09:48:31.549470',227.498,7832.57,NULL,NULL,227.498,2,1,'[227.498, 7832.57, 1986.46, 1231.31, 2640.28]');
INSERT INTO "measurements" VALUES(3,1,1,'all_reduce','mpi',NULL,NULL,'mpi',0,0,1024,256,'float32','sum',2,5,6966.3374,1.4699259326715928076e-04,1.4699259326715928076e-04,0,3945.353,8444.3448,7928.602,13081.58,13081.58,13081.58,2.96036146236498598233e+03,3.50573257307658252561e+01,'2026-11-29 09:48:31.536219',3945.353,13081.58,NULL,NULL,3945.353,2,NULL,'[9564.92, 7928.6, 3945.35, 7701.27, 13081.6]');
INSERT INTO "measurements" VALUES(4,1,1,'all_reduce','mpi',NULL,NULL,'mpi',1,0,1024,256,'float32','sum',2,5,1.27179570000000012445e+03,8.05160765994097872219e-04,8.05160765994097872219e-04,0,153.087,1584.9052,826.278,3913.866,3913.866,3913.866,1.42219769365491492856e+03,8.97339281652249667366e+01,'2026-11-29 09:48:31.571082',153.087,3913.866,NULL,NULL,153.087,2,NULL,'[826.278, 3913.87, 2529.05, 502.247, 153.087]');
INSERT INTO "measurements" VALUES(5,1,1,'all_reduce','ring',NULL,NULL,'shared_memory',0,0,8192,2048,'float32','sum',2,5,6.35708699999999907962e+02,1.28864053614493566379e-02,1.28864053614493566379e-02,0,186.617,945.0142,805.527,1677.202,1677.202,1677.202,5.17517786417201250534e+02,5.47629640292390647022e+01,'2026-11-29 09:48:31.807190',186.617,1677.202,NULL,NULL,186.617,2,1,'[1339.85, 1677.2, 805.527, 186.617, 715.874]');
INSERT INTO "measurements" VALUES(6,1,1,'all_reduce','ring',NULL,NULL,'shared_memory',1,0,8192,2048,'float32','sum',2,5,514.6859,1.59165036384326837037e-02,1.59165036384326837037e-02,0,14.822,607.8894,336.891,1980.483,1980.483,1980.483,6.98677099964382705352e+02,1.14934904271135934555e+02,'2026-11-29 09:48:31.814911',14.822,1980.483,NULL,NULL,14.822,2,1,'[1980.48, 319.966, 387.285, 336.891, 14.822]');
INSERT INTO "measurements" VALUES(7,1,1,'all_reduce','mpi',NULL,NULL,'mpi',0,0,8192,2048,'float32','sum',2,5,8.24150800000000117485e+02,9.93992846940147146972e-03,9.93992846940147146972e-03,0,483.008,1073.0788,1219.642,1436.545,1436.545,1436.545,3.51845977526189699355e+02,3.27884566842798221833e+01,'2026-11-29 09:48:31.818636',483.008,1436.545,NULL,NULL,483.008,2,NULL,'[1219.64, 1436.55, 1351.85, 874.35, 483.008]');
INSERT INTO "measurements" VALUES(8,1,1,'all_reduce','mpi',NULL,NULL,'mpi',1,0,8192,2048,'float32','sum',2,5,7.09636400000000094239e+02,1.15439399670028176869e-02,1.15439399670028176869e-02,0,204.975,895.1964,721.402,1918.461,1918.461,1918.461,638.544935900552,7.13301501101380637254e+01,'2026-11-29 09:48:31.812130',204.975,1918.461,NULL,NULL,204.975,2,NULL,'[1918.46, 329.6, 1301.54, 721.402, 204.975]');
INSERT INTO "measurements" VALUES(9,1,1,'all_reduce','ring',NULL,NULL,'shared_memory',0,0,65536,16384,'float32','sum',2,5,1.62624999999999957371e+01,4.02988470407379,4.02988470407379,0,13.13,1.83515999999999976921e+01,18.888,22.274,22.274,22.274,2.94295889199968296878e+00,1.60365248370697024427e+01,'2026-11-29 09:48:31.857412',13.13,22.274,NULL,NULL,13.13,2,1,'[18.888, 22.274, 18.928, 18.538, 13.13]');
INSERT INTO "measurements" VALUES(10,1,1,'all_reduce','ring',NULL,NULL,'shared_memory',1,0,65536,16384,'float32','sum',2,5,31.5538,2.0769606196401069198e+00,2.0769606196401069198e+00,0,13.289,41.4594,19.849,87.79,87.79,87.79,3.0907490371105840409e+01,7.45488125035717814643e+01,'2026-11-29 09:48:31.857062',13.289,87.79,NULL,NULL,13.289,2,1,'[17.076, 69.293, 19.849, 13.289, 87.79]');
INSERT INTO "measurements" VALUES(11,1,1,'all_reduce','mpi',NULL,NULL,'mpi',0,0,65536,16384,'float32','sum',2,5,267.2602,2.45214214462160823293e-01,2.45214214462160823293e-01,0,37.796,278.0712,49.624,1204.27,1204.27,1204.27,4.63123371075310785727e+02,1.6654848509134021128e+02,'2026-11-29 09:48:31.856837',37.796,1204.27,NULL,NULL,37.796,2,NULL,'[51.506, 49.624, 47.16, 37.796, 1204.27]');
INSERT INTO "measurements" VALUES(12,1,1,'all_reduce','mpi',NULL,NULL,'mpi',1,0,65536,16384,'float32','sum',2,5,1.46802660000000014407e+03,4.46422428585422081948e-02,4.46422428585422081948e-02,0,27.48,1.56632540000000017245e+03,65.677,6516.264,6516.264,6516.264,2.51261326227755125723e+03,1.60414512991843906776e+02,'2026-11-29 09:48:31.857237',27.48,6516.264,NULL,NULL,27.48,2,NULL,'[54.621, 27.48, 1167.59, 65.677, 6516.26]');
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
INSERT INTO "members" VALUES(1,0,1,2,0,'clean','{"control_host": "127.0.0.1", "control_port": 32965, "proxy_id": 0}',26,'2026-11-29 09:48:28.090351','2026-11-29 09:48:31.201134','2026-11-29 09:48:32.122147','2026-11-29 09:48:32.235424',0.005304,0.007784,'{"machine": "32eb165f-6232-4c50-a114-e659116db286", "processors": 2, "seconds": 3.9324788100000205, "busy_seconds": 7.7999999999999545, "own_seconds": 1.544447}');
INSERT INTO "members" VALUES(2,0,1,2,0,'clean','{"control_host": "127.0.0.1", "control_port": 43501, "proxy_id": 0}',14,'2026-11-29 09:48:32.799649','2026-11-29 09:48:33.394200','2026-11-29 09:48:48.241293','2026-11-29 09:48:48.548065',0.000222,0.002386,'{"machine": "32eb165f-6232-4c50-a114-e659116db286", "processors": 2, "seconds": 15.150993795999966, "busy_seconds": 30.220000000000027, "own_seconds": 10.213739}');
CREATE TABLE node_minutes (
	node_id INTEGER NOT NULL, 
	minute DATETIME NOT NULL, 
	load_average DOUBLE, 
	memory_used_bytes BIGINT, 
	network_bytes_per_second DOUBLE, 
	gpu_utilization_ratio DOUBLE, 
	CONSTRAINT pk_node_minutes PRIMARY KEY (node_id, minute), 
	CONSTRAINT fk_node_minutes_node_id_nodes FOREIGN KEY(node_id) REFERENCES nodes (id) ON DELETE CASCADE
);
INSERT INTO "node_minutes" VALUES(1,'2026-11-29 09:48:00.000000',8.3515625,2152131243,0.0,NULL);
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
	removed_at DATETIME, clock_error_seconds DOUBLE, leaves_at DATETIME, load_average DOUBLE, 
	CONSTRAINT pk_nodes PRIMARY KEY (id), 
	CONSTRAINT uq_nodes_name UNIQUE (name)
);
INSERT INTO "nodes" VALUES(1,'vm','127.0.0.1',4,'127.0.0.1:19020','{"hostname": "vm", "os": "Debian GNU/Linux 12 (bookworm)", "cpu_model": "AMD EPYC", "cores": 2, "memory_bytes": 25276502016, "gpus": [], "nics": [{"name": "eth0", "speed_mbit_per_s": null, "addresses": ["192.0.2.2", "fd00::2", "fe80::fc:ff:fe00:1"], "is_virtual": false}, {"name": "rslab-f8f302", "speed_mbit_per_s": 10000, "addresses": ["10.213.116.254", "fe80::606d:45ff:fe0b:562f"], "is_virtual": true}], "machine": {"hardware": "AMD EPYC; cores [0, 1], 2 at once; NumPy 2.4.6", "cores": 2, "call_us": 0.28958, "turn_us": 4.60598125, "cache_bytes": 16777216, "add_gb_per_s": 46.08720112517581, "copy_gb_per_s": 44.82626538987688, "far_add_gb_per_s": 6.342985022797231, "far_copy_gb_per_s": 6.088889308270142}, "lacks": [], "only_here": true, "scripts": false}','{"ringscope": "0.1.0", "python": "3.11.7", "mpi4py": "4.1.2", "numpy": "2.4.6", "torch": "2.13.0+cpu", "tensorflow": "2.21.0", "mpi": "MPICH 5.0.2"}','{}','active','ready',1,'2026-11-29 09:48:26.289667','2026-11-29 09:48:48.667622','{}',1,'',NULL,NULL,'',0.000222,4,0,'',NULL,0.002464,NULL,9.3427734375);
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
INSERT INTO "rank_buckets" VALUES(2,1,3,827.88,'[{"bytes": 340008, "ready_us": 799.258, "start_us": 832.036, "end_us": 1818.132}]');
INSERT INTO "rank_buckets" VALUES(2,0,3,842.953,'[{"bytes": 340008, "ready_us": 810.675, "start_us": 847.45, "end_us": 2233.72}]');
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
INSERT INTO "rank_totals" VALUES(2,0,0,3,96,12705.422,4.15894200000000091674e+03,8524.328,8546.48,2.24981331825256347656e+00);
INSERT INTO "rank_totals" VALUES(2,1,0,3,96,8.68170100000000093121e+03,4251.267,4407.63,4.43043399999999928679e+03,2.26310396194458);
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
INSERT INTO "schedules" VALUES(1,'nightly','0 3 * * *','UTC','skip','{"name": "", "kind": "benchmark", "benchmark": {"collective": "all_reduce", "algorithms": ["ring"], "transport": "auto", "topology": null, "device": "auto", "dtype": "float32", "op": "sum", "root": 0, "min_bytes": 8, "max_bytes": 67108864, "step_factor": 2, "step_bytes": null, "cycles": 1, "warmup": 5, "iterations": 20, "aggregate": 1, "blocking": 0, "average": "mean", "per_iteration": false, "skip_iterations": 0, "rotate": false, "trace": false, "check": true, "timeout_seconds": 300}, "training": null, "script": null, "placement": {"ranks": 2, "ranks_per_node": null, "nodes": null, "node_names": [], "selector": {}, "exclusive": true, "arrangement": "pack", "same_rack": false, "quiet": false, "gpu_model": null, "min_gpu_memory_bytes": null, "min_memory_bytes": null}, "priority": 50, "time_limit_seconds": 600, "start_seconds": null, "load_seconds": 1800, "hang_seconds": null, "queue_timeout_seconds": null, "hold": false, "max_attempts": 3, "labels": {}}','admin',1,1,'2026-11-29 09:48:49.420895','2026-11-30 03:00:00.000000',NULL,NULL,'');
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
INSERT INTO "steps" VALUES(1,1,1,0,0,'all_reduce','mpi','mpi',0,1024,1795945711536216996,8323.219,0.0,8323.219,8323.219,NULL,NULL,NULL);
INSERT INTO "steps" VALUES(2,1,1,0,1,'all_reduce','ring','shared_memory',1,1024,1795945711549469519,227.498,0.0,227.498,227.498,NULL,NULL,NULL);
INSERT INTO "steps" VALUES(3,1,1,0,2,'all_reduce','ring','shared_memory',0,1024,1795945711558591465,5896.293,0.0,5896.293,5896.293,NULL,NULL,NULL);
INSERT INTO "steps" VALUES(4,1,1,0,3,'all_reduce','mpi','mpi',1,1024,1795945711571081568,826.278,0.0,826.278,826.278,NULL,NULL,NULL);
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
	last_used_at DATETIME, rotation_wanted_at DATETIME, next_sha256 TEXT, session_seconds INTEGER, 
	CONSTRAINT pk_tokens PRIMARY KEY (id), 
	CONSTRAINT uq_tokens_sha256 UNIQUE (sha256), 
	CONSTRAINT fk_tokens_parent_id_tokens FOREIGN KEY(parent_id) REFERENCES tokens (id) ON DELETE CASCADE
);
INSERT INTO "tokens" VALUES(1,'admin','personal','admin','a61f64d9143873ad36deea85c5d2bbfb15755d7f7b1cb10d7496e0bd826bd45f','2026-11-29 09:48:21.499360',NULL,'of the data directory 93524a91',NULL,NULL,'system','2026-11-29 09:48:49.456409',NULL,NULL,NULL);
INSERT INTO "tokens" VALUES(2,'join','join','join','c289c0835aaf3c3a17d017a436913c60ea89b4e8e243a01ea4cd4c78fc069520','2026-11-29 09:48:21.499360',NULL,'of the data directory 93524a91',NULL,NULL,'system','2026-11-29 09:48:26.148438',NULL,NULL,NULL);
INSERT INTO "tokens" VALUES(3,'vm','agent','agent','ff5021ec4ea1c78d8ea29843afd33d2f9a382a909b17ace0288ef398211491a6','2026-11-29 09:48:26.148704',NULL,'','vm',2,'join','2026-11-29 09:48:48.667437',NULL,NULL,NULL);
INSERT INTO "tokens" VALUES(4,'admin','login','admin','e9596c548608a37c963226ae194f42bef0bb2b7d9f5a03cdac5d8b12a3861f49','2026-11-29 09:48:26.467348','2026-11-30 09:48:26.467348','',NULL,1,'admin',NULL,NULL,NULL,NULL);
INSERT INTO "tokens" VALUES(5,'colleague','personal','viewer','19a6ab687f5ab69368c459f226bf942be87ecd9d18b66266675db3a11e8d394f','2026-11-29 09:48:49.456680',NULL,'',NULL,NULL,'admin',NULL,NULL,NULL,NULL);
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
INSERT INTO "usage" VALUES('admin',4.25325116705915675643e+01,'2026-11-29 09:48:48.557074');
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
CREATE INDEX ix_node_minutes_minute ON node_minutes (minute);
COMMIT;
