BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0025');
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
	is_hearsay BOOLEAN DEFAULT 0 NOT NULL, tally JSON, tuning JSON, disturbed_by TEXT, progressed_at DATETIME, start_limit_seconds DOUBLE, 
	CONSTRAINT pk_attempts PRIMARY KEY (id), 
	CONSTRAINT uq_attempts_job_id UNIQUE (job_id, number), 
	CONSTRAINT fk_attempts_job_id_jobs FOREIGN KEY(job_id) REFERENCES jobs (id)
);
INSERT INTO "attempts" VALUES(1,1,1,'',1,'2026-11-29 09:49:03.156850','2026-11-29 09:49:06.237232','2026-11-29 09:49:07.507516','{"nodes": [{"rank": 0, "host": "vm", "ranks": [0, 1], "versions": {"python": "3.11.7", "ringscope": "0.1.0", "numpy": "2.4.6", "mpi4py": "4.1.2", "mpich": "5.0.2", "ml-dtypes": "0.6.0", "numkong": "7.8.6", "torch": "2.13.0+cpu", "tensorflow": "2.21.0", "mpi": "5.0", "mpi_library": "MPICH Version: 5.0.2", "kernel": "Linux 6.18.44-fc-v669", "glibc": "2.36"}, "variables": {"OMP_NUM_THREADS": "1", "RINGSCOPE_NODE_ADDRESS": "127.0.0.1", "RINGSCOPE_POSITIONS": "/var/lib/ringscope/agent/attempts/1/positions", "RINGSCOPE_STACKS": "/var/lib/ringscope/agent/attempts/1/stacks", "RINGSCOPE_STEPS": "/proc/26748/fd/7", "RINGSCOPE_TUNING": "/var/lib/ringscope/agent/attempts/1/tuning.json"}, "cpu_model": "AMD EPYC", "cores": 2, "physical_cores": 2, "sockets": 1, "numa_nodes": 1, "memory_bytes": 25276502016, "time_ns": 1795945746263065191}], "ranks": [{"rank": 0, "local_rank": 0, "ranks": 2, "pid": 26911, "host": "vm", "device": "cpu", "cpus": [0, 1], "numa_node": 0, "time_ns": 1795945746222045493}, {"rank": 1, "local_rank": 1, "ranks": 2, "pid": 26912, "host": "vm", "device": "cpu", "cpus": [0, 1], "numa_node": 0, "time_ns": 1795945746225045842}]}','completed','',NULL,'2026-11-29 09:49:07.523063',NULL,0,'{"collective": "all_reduce", "ranks": 2, "cores": 2, "wrong": 0, "curves": [{"algorithm": "ring", "transport": "shared_memory", "in_place": false, "points": {"1024": [939.3570000000002, 1, 5, 0.0, null, 256, 1024.0, 3737.454, true, [], 1], "8192": [773.8088, 1, 5, 0.0, null, 2048, 8192.0, 2145.909, true, [], 1], "65536": [725.0286, 1, 5, 0.0, null, 16384, 65536.0, 3080.028, true, [], 1]}}, {"algorithm": "ring", "transport": "shared_memory", "in_place": true, "points": {"1024": [1638.7934, 1, 5, 0.0, null, 256, 1024.0, 11494.532, true, [], 1], "8192": [1222.786, 1, 5, 0.0, null, 2048, 8192.0, 4152.1, true, [], 1], "65536": [2069.0478000000003, 1, 5, 0.0, null, 16384, 65536.0, 5911.866, true, [], 1]}}, {"algorithm": "mpi", "transport": "mpi", "in_place": false, "points": {"1024": [2018.8542, 1, 5, 0.0, null, 256, 1024.0, 4887.183, true, [], 1], "8192": [2187.7633, 1, 5, 0.0, null, 2048, 8192.0, 7691.87, true, [], 1], "65536": [3703.7129999999997, 1, 5, 0.0, null, 16384, 65536.0, 7703.879, true, [], 1]}}, {"algorithm": "mpi", "transport": "mpi", "in_place": true, "points": {"1024": [2074.8804999999998, 1, 5, 0.0, null, 256, 1024.0, 10640.693, true, [], 1], "8192": [1576.5389, 1, 5, 0.0, null, 2048, 8192.000000000002, 4268.383, true, [], 1], "65536": [3552.0725999999995, 1, 5, 0.0, null, 16384, 65536.0, 6789.83, true, [], 1]}}], "rows": 12, "limit_gb_per_s": null}',NULL,'Other load took 80 % of the processors of node vm.','2026-11-29 09:49:06.237232',NULL);
INSERT INTO "attempts" VALUES(2,2,1,'',1,'2026-11-29 09:49:08.366587','2026-11-29 09:49:12.043538','2026-11-29 09:49:31.108222','{"nodes": [{"rank": 0, "host": "vm", "ranks": [0, 1], "versions": {"python": "3.11.7", "ringscope": "0.1.0", "numpy": "2.4.6", "mpi4py": "4.1.2", "mpich": "5.0.2", "ml-dtypes": "0.6.0", "numkong": "7.8.6", "torch": "2.13.0+cpu", "tensorflow": "2.21.0", "mpi": "5.0", "mpi_library": "MPICH Version: 5.0.2", "kernel": "Linux 6.18.44-fc-v669", "glibc": "2.36"}, "variables": {"OMP_NUM_THREADS": "1", "RINGSCOPE_CHECKPOINTS": "/var/lib/ringscope/agent/checkpoints/job-2", "RINGSCOPE_NODE_ADDRESS": "127.0.0.1", "RINGSCOPE_POSITIONS": "/var/lib/ringscope/agent/attempts/2/positions", "RINGSCOPE_STACKS": "/var/lib/ringscope/agent/attempts/2/stacks", "RINGSCOPE_TUNING": "/var/lib/ringscope/agent/attempts/2/tuning.json"}, "cpu_model": "AMD EPYC", "cores": 2, "physical_cores": 2, "sockets": 1, "numa_nodes": 1, "memory_bytes": 25276502016, "time_ns": 1795945759567154950}], "ranks": [{"rank": 0, "local_rank": 0, "ranks": 2, "pid": 27068, "host": "vm", "device": "cpu", "cpus": [0, 1], "numa_node": 0, "time_ns": 1795945759526209662}, {"rank": 1, "local_rank": 1, "ranks": 2, "pid": 27069, "host": "vm", "device": "cpu", "cpus": [0, 1], "numa_node": 0, "time_ns": 1795945759524263940}]}','completed','',NULL,'2026-11-29 09:49:31.129768',NULL,0,NULL,'{"version": 1, "curves": [], "machine": null}',NULL,'2026-11-29 09:49:12.043538',NULL);
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
INSERT INTO "epochs" VALUES(1,2,2,0,1,4,2.28954461216926574707e+00,2.20035035875108508918e+00,2.52777777777777767909e-01,256,3.00067719999999972069e+04,4.35808599991105438675e+03,1.38374640000620274804e+04,'2026-11-29 09:49:27.895103');
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
INSERT INTO "events" VALUES(1,'2026-11-29 09:49:01.402763','join','node.joined','node','vm',NULL,NULL,'Node vm got a token of its own.');
INSERT INTO "events" VALUES(2,'2026-11-29 09:49:01.465910','node/vm','node.registered','node','vm',NULL,'ready','');
INSERT INTO "events" VALUES(3,'2026-11-29 09:49:01.493939','admin','login_link.created','user','admin',NULL,'admin','');
INSERT INTO "events" VALUES(4,'2026-11-29 09:49:03.100569','admin','job.submitted','job','1',NULL,'queued','');
INSERT INTO "events" VALUES(5,'2026-11-29 09:49:03.156850','system','job.starting','job','1','queued','starting','');
INSERT INTO "events" VALUES(6,'2026-11-29 09:49:06.237232','system','job.running','job','1','starting','running','');
INSERT INTO "events" VALUES(7,'2026-11-29 09:49:07.372720','system','job.stopping','job','1','running','stopping','completed');
INSERT INTO "events" VALUES(8,'2026-11-29 09:49:07.507516','system','job.succeeded','job','1','stopping','succeeded','completed');
INSERT INTO "events" VALUES(9,'2026-11-29 09:49:07.719731','admin','job.submitted','job','2',NULL,'queued','');
INSERT INTO "events" VALUES(10,'2026-11-29 09:49:08.366587','system','job.starting','job','2','queued','starting','');
INSERT INTO "events" VALUES(11,'2026-11-29 09:49:12.043538','system','job.running','job','2','starting','running','');
INSERT INTO "events" VALUES(12,'2026-11-29 09:49:30.905267','system','job.stopping','job','2','running','stopping','completed');
INSERT INTO "events" VALUES(13,'2026-11-29 09:49:31.108222','system','job.succeeded','job','2','stopping','succeeded','completed');
INSERT INTO "events" VALUES(14,'2026-11-29 09:49:31.561325','admin','job.submitted','job','3',NULL,'queued','');
INSERT INTO "events" VALUES(15,'2026-11-29 09:49:31.581152','admin','job.cancelled','job','3','queued','cancelled','Cancelled by admin.');
INSERT INTO "events" VALUES(16,'2026-11-29 09:49:31.698384','admin','schedule.created','schedule','1',NULL,'nightly','');
INSERT INTO "events" VALUES(17,'2026-11-29 09:49:31.754572','admin','token.created','token','5',NULL,'viewer','personal token for colleague');
CREATE TABLE "idempotency_keys" (
	user TEXT NOT NULL, 
	"key" TEXT NOT NULL, 
	body_sha256 TEXT NOT NULL, 
	created_at DATETIME NOT NULL, 
	target_type TEXT DEFAULT 'job' NOT NULL, 
	target_id BIGINT DEFAULT 0 NOT NULL, 
	CONSTRAINT pk_idempotency_keys PRIMARY KEY (user, "key")
);
INSERT INTO "idempotency_keys" VALUES('admin','1795945743.0962412','aad98392abc84a6bcd09640c16acf6b33527ba79f263626267347f350dfa57b9','2026-11-29 09:49:03.104839','job',1);
INSERT INTO "idempotency_keys" VALUES('admin','1795945747.7128673','f377f88b9de7ac4a3f81e6e493fdb3d96285515fa7fe51139feeb21483c422ee','2026-11-29 09:49:07.723064','job',2);
INSERT INTO "idempotency_keys" VALUES('admin','1795945771.5470178','f3602b714782a62ef8dd810a66f198f4b889d2bdee3f3a806d8c5961e5649aaf','2026-11-29 09:49:31.570004','job',3);
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
	excluded_nodes JSON DEFAULT '[]' NOT NULL, collective TEXT, algorithms TEXT DEFAULT '' NOT NULL, busbw_gb_per_s DOUBLE, note TEXT DEFAULT '' NOT NULL, 
	CONSTRAINT pk_jobs PRIMARY KEY (id), 
	CONSTRAINT uq_jobs_schedule_id UNIQUE (schedule_id, fire_time), 
	CONSTRAINT fk_jobs_schedule_id_schedules FOREIGN KEY(schedule_id) REFERENCES schedules (id) ON DELETE SET NULL, 
	CONSTRAINT fk_jobs_cloned_from_jobs FOREIGN KEY(cloned_from) REFERENCES jobs (id)
);
INSERT INTO "jobs" VALUES(1,'sums','benchmark','{"name": "sums", "kind": "benchmark", "benchmark": {"collective": "all_reduce", "algorithms": ["ring", "mpi"], "transport": "auto", "topology": null, "device": "auto", "dtype": "float32", "op": "sum", "root": 0, "min_bytes": 1024, "max_bytes": 65536, "step_factor": 8, "step_bytes": null, "cycles": 1, "warmup": 1, "iterations": 5, "aggregate": 1, "blocking": 0, "average": "mean", "per_iteration": false, "skip_iterations": 0, "rotate": false, "trace": false, "check": true, "timeout_seconds": 300}, "training": null, "script": null, "placement": {"ranks": 2, "min_ranks": null, "ranks_per_node": null, "nodes": null, "node_names": [], "selector": {}, "exclusive": true, "arrangement": "pack", "same_rack": false, "quiet": false, "gpu_model": null, "min_gpu_memory_bytes": null, "min_memory_bytes": null}, "priority": 50, "time_limit_seconds": 600, "start_seconds": null, "load_seconds": 1800, "hang_seconds": null, "queue_timeout_seconds": null, "hold": false, "max_attempts": 3, "labels": {}}','admin',50,'{}','succeeded','completed','','2026-11-29 09:49:03.100569','2026-11-29 09:49:06.237232','2026-11-29 09:49:07.507516',NULL,NULL,NULL,12,'{"kind": "benchmark", "best": [{"algorithm": "ring", "transport": "shared_memory", "busbw_gb_per_s": 0.09039091699279174, "size_bytes": 65536, "in_place": false, "iterations": 5, "is_unstable": true}, {"algorithm": "mpi", "transport": "mpi", "busbw_gb_per_s": 0.01845007334591078, "size_bytes": 65536, "in_place": true, "iterations": 5, "is_unstable": true}], "sizes": [{"size_bytes": 1024, "busbw_gb_per_s": 0.0010901073819644712, "is_unstable": true}, {"size_bytes": 8192, "busbw_gb_per_s": 0.010586594517922257, "is_unstable": true}, {"size_bytes": 65536, "busbw_gb_per_s": 0.09039091699279174, "is_unstable": true}], "min_size_p99_us": 3737.454, "min_size_iterations": 5, "limit_gb_per_s": null, "ranks": 2, "cores": 2, "wrong": 0, "winners": [], "results": [], "same_messages": [], "verdict": "No winner: a comparison needs at least 12 iterations of each, and there are 5.", "explanation": ""}',2,1,NULL,NULL,NULL,'2026-11-29 09:49:03.100569',NULL,NULL,'[]','all_reduce','ring,mpi',NULL,'');
INSERT INTO "jobs" VALUES(2,'training','training','{"name": "training", "kind": "training", "benchmark": null, "training": {"strategy": "mirrored", "all_reduce": "auto", "transport": "auto", "device": "auto", "servers": 1, "consistency": "sync", "staleness": null, "sync_every": 8, "outer_momentum": 0.0, "outer_learning_rate": 1.0, "weights": "samples", "split": "shared", "stages": 2, "micro_batches": 4, "schedule": "1f1b", "model": "mlp", "model_arguments": {}, "dataset": {"name": "digits", "file": null, "load": "load", "workers": 0, "prefetch": 2, "path": null, "samples": null, "validation_percent": 20}, "global_batch_size": 64, "batch_split": "equal", "epochs": 10, "max_steps": 4, "optimizer": "sgd", "learning_rate": 0.05, "momentum": 0.9, "weight_decay": 0.0, "precision": "float32", "accumulation_steps": 1, "bucket_bytes": 26214400, "overlap": true, "compression": "none", "top_k_percent": 1.0, "powersgd_rank": 2, "clip_norm": null, "on_nan": "stop", "verify_every": null, "checkpoint_every_steps": null, "resume_from": null, "target_accuracy": null, "seed": 0, "timeout_seconds": 300}, "script": null, "placement": {"ranks": 2, "min_ranks": null, "ranks_per_node": null, "nodes": 1, "node_names": [], "selector": {}, "exclusive": false, "arrangement": "pack", "same_rack": false, "quiet": false, "gpu_model": null, "min_gpu_memory_bytes": null, "min_memory_bytes": null}, "priority": 50, "time_limit_seconds": 600, "start_seconds": null, "load_seconds": 1800, "hang_seconds": null, "queue_timeout_seconds": null, "hold": false, "max_attempts": 3, "labels": {}}','admin',50,'{}','succeeded','completed','','2026-11-29 09:49:07.719731','2026-11-29 09:49:12.043538','2026-11-29 09:49:31.108222',NULL,NULL,NULL,4,'{"kind": "training", "loss": 2.2895446121692657, "validation_loss": 2.200350358751085, "validation_accuracy": 0.25277777777777777, "samples_per_second": 11912.47809699731, "step_seconds": 0.016176899499999998, "communication_seconds": 0.0041368475, "exposed_communication_seconds": 0.0041601265, "input_seconds": 0.003665157, "epochs_done": 1, "steps_done": 4, "steps_total": 4, "seconds_to_target": null, "scaling_efficiency": null, "scaling_baseline_job_id": null}',2,1,NULL,NULL,NULL,'2026-11-29 09:49:07.719731',NULL,NULL,'[]',NULL,'auto',NULL,'');
INSERT INTO "jobs" VALUES(3,'never','benchmark','{"name": "never", "kind": "benchmark", "benchmark": {"collective": "all_reduce", "algorithms": ["ring"], "transport": "auto", "topology": null, "device": "auto", "dtype": "float32", "op": "sum", "root": 0, "min_bytes": 8, "max_bytes": 67108864, "step_factor": 2, "step_bytes": null, "cycles": 1, "warmup": 5, "iterations": 20, "aggregate": 1, "blocking": 0, "average": "mean", "per_iteration": false, "skip_iterations": 0, "rotate": false, "trace": false, "check": true, "timeout_seconds": 300}, "training": null, "script": null, "placement": {"ranks": 4, "min_ranks": null, "ranks_per_node": null, "nodes": null, "node_names": [], "selector": {}, "exclusive": true, "arrangement": "pack", "same_rack": false, "quiet": false, "gpu_model": null, "min_gpu_memory_bytes": null, "min_memory_bytes": null}, "priority": 50, "time_limit_seconds": 600, "start_seconds": null, "load_seconds": 1800, "hang_seconds": null, "queue_timeout_seconds": null, "hold": false, "max_attempts": 3, "labels": {}}','admin',50,'{}','cancelled','user_cancelled','Cancelled by admin.','2026-11-29 09:49:31.561325',NULL,'2026-11-29 09:49:31.581152',NULL,NULL,NULL,0,'{"kind": "benchmark", "best": [], "sizes": [], "min_size_p99_us": null, "min_size_iterations": null, "limit_gb_per_s": null, "ranks": 0, "cores": null, "wrong": 0, "winners": [], "results": [], "same_messages": [], "verdict": "", "explanation": ""}',4,1,NULL,NULL,NULL,'2026-11-29 09:49:31.561325',NULL,NULL,'[]','all_reduce','ring',NULL,'');
CREATE TABLE leases (
	name TEXT NOT NULL, 
	holder TEXT NOT NULL, 
	fence BIGINT NOT NULL, 
	expires_at DATETIME NOT NULL, 
	CONSTRAINT pk_leases PRIMARY KEY (name)
);
INSERT INTO "leases" VALUES('scheduler','3ab7de4b95e9c3c5',1,'2026-11-29 09:49:35.474827');
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
INSERT INTO "log_lines" VALUES(1,1,1,'vm',NULL,'stdout',1795945747344907391,'[mpiexec@vm] Exit codes: [127.0.0.1] 0,0');
INSERT INTO "log_lines" VALUES(2,2,2,'vm',0,'stdout',1795945762580829983,'batch_all_reduce: 1 all-reduce with algorithm = ring, 332 KiB a step, num_replicas = 2, transport = shared_memory. Model: ring 13.93 us, direct 13.93 us, mpi 86.49 us; no measurement near 332 KiB for all_reduce of float32 in place, 2 ranks on 1 node over shared_memory.');
INSERT INTO "log_lines" VALUES(3,2,2,'vm',NULL,'stdout',1795945770827246152,'[mpiexec@vm] Exit codes: [127.0.0.1] 0,0');
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
INSERT INTO "measurements" VALUES(1,1,1,'all_reduce','ring',NULL,NULL,'shared_memory',0,0,1024,256,'float32','sum',2,5,9.39357000000000198249e+02,1.09010738196447121844e-03,1.09010738196447121844e-03,0,95.051,1042.7916,541.104,3737.454,3737.454,3737.454,1.36069162771446485751e+03,1.30485480292942980897e+02,'2026-11-29 09:49:06.626318',95.051,3737.454,NULL,NULL,95.051,2,1,'[95.051, 3737.45, 608.584, 231.765, 541.104]');
INSERT INTO "measurements" VALUES(2,1,1,'all_reduce','ring',NULL,NULL,'shared_memory',1,0,1024,256,'float32','sum',2,5,1638.7934,6.24849965834619550802e-04,6.24849965834619550802e-04,0,132.917,2.75374819999999954239e+03,839.247,11494.532,11494.532,11494.532,4.38827366606119448995e+03,1.59356387997319245636e+02,'2026-11-29 09:49:06.619906',132.917,11494.532,NULL,NULL,132.917,2,1,'[1154.23, 11494.5, 147.81, 132.917, 839.247]');
INSERT INTO "measurements" VALUES(3,1,1,'all_reduce','mpi',NULL,NULL,'mpi',0,0,1024,256,'float32','sum',2,5,2018.8542,5.07218401408085842185e-04,5.07218401408085842185e-04,0,109.874,2.36761860000000024222e+03,2608.887,4887.183,4887.183,4887.183,1.7765165242442976705e+03,7.50338979531710776899e+01,'2026-11-29 09:49:06.621914',109.874,4887.183,NULL,NULL,109.874,2,NULL,'[3556.51, 675.644, 2608.89, 4887.18, 109.874]');
INSERT INTO "measurements" VALUES(4,1,1,'all_reduce','mpi',NULL,NULL,'mpi',1,0,1024,256,'float32','sum',2,5,2.07488049999999975628e+03,0.000493522398036899,0.000493522398036899,0,445.382,3.20201639999999952126e+03,1321.904,10640.693,10640.693,10640.693,3772.24728959418,1.17808493722711119747e+02,'2026-11-29 09:49:06.627132',445.382,10640.693,NULL,NULL,445.382,2,NULL,'[1186.2, 10640.7, 1321.9, 445.382, 2415.9]');
INSERT INTO "measurements" VALUES(5,1,1,'all_reduce','ring',NULL,NULL,'shared_memory',0,0,8192,2048,'float32','sum',2,5,773.8088,1.05865945179222566835e-02,1.05865945179222566835e-02,0,146.948,911.0998,486.803,2145.909,2145.909,2145.909,7.80061372403325776776e+02,8.5617555003669835404e+01,'2026-11-29 09:49:06.751735',146.948,2145.909,NULL,NULL,146.948,2,1,'[486.803, 1501.39, 146.948, 2145.91, 274.448]');
INSERT INTO "measurements" VALUES(6,1,1,'all_reduce','ring',NULL,NULL,'shared_memory',1,0,8192,2048,'float32','sum',2,5,1222.786,6.69945517858398786881e-03,6.69945517858398786881e-03,0,503.358,1750.0146,611.268,4152.1,4152.1,4152.1,1.52500620197028729303e+03,8.71424845238598209072e+01,'2026-11-29 09:49:06.745072',503.358,4152.1,NULL,NULL,503.358,2,1,'[611.268, 503.358, 2967.88, 515.466, 4152.1]');
INSERT INTO "measurements" VALUES(7,1,1,'all_reduce','mpi',NULL,NULL,'mpi',0,0,8192,2048,'float32','sum',2,5,2187.7633,0.00374446358068078,0.00374446358068078,0,147.65,3.42010880000000042858e+03,3092.987,7691.87,7691.87,7691.87,2.94772090797859664234e+03,8.61879279389765713421e+01,'2026-11-29 09:49:06.746219',147.65,7691.87,NULL,NULL,147.65,2,NULL,'[3092.99, 147.65, 5744.42, 423.62, 7691.87]');
INSERT INTO "measurements" VALUES(8,1,1,'all_reduce','mpi',NULL,NULL,'mpi',1,0,8192,2048,'float32','sum',2,5,1576.5389,5.19619274855825062642e-03,5.19619274855825062642e-03,0,911.986,1884.5266,1209.507,4268.383,4268.383,4268.383,1.23431700343187344514e+03,6.54974572092467894907e+01,'2026-11-29 09:49:06.737283',911.986,4268.383,NULL,NULL,911.986,2,NULL,'[4268.38, 1154.18, 911.986, 1878.57, 1209.51]');
INSERT INTO "measurements" VALUES(9,1,1,'all_reduce','ring',NULL,NULL,'shared_memory',0,0,65536,16384,'float32','sum',2,5,725.0286,9.03909169927917394149e-02,9.03909169927917394149e-02,0,90.224,7.4722259999999994305e+02,168.901,3080.028,3080.028,3080.028,1.16742545872318532931e+03,1.56235298386743835406e+02,'2026-11-29 09:49:06.896226',90.224,3080.028,NULL,NULL,90.224,2,1,'[153.258, 243.702, 168.901, 90.224, 3080.03]');
INSERT INTO "measurements" VALUES(10,1,1,'all_reduce','ring',NULL,NULL,'shared_memory',1,0,65536,16384,'float32','sum',2,5,2.06904780000000027939e+03,3.16744736395166842646e-02,3.16744736395166842646e-02,0,570.889,2354.0946,1984.59,5911.866,5911.866,5911.866,1.94818640773778110992e+03,8.27573542600106719629e+01,'2026-11-29 09:49:06.887679',570.889,5911.866,NULL,NULL,570.889,2,1,'[647.582, 2655.55, 5911.87, 1984.59, 570.889]');
INSERT INTO "measurements" VALUES(11,1,1,'all_reduce','mpi',NULL,NULL,'mpi',0,0,65536,16384,'float32','sum',2,5,3.70371299999999973803e+03,1.76946755863642800343e-02,1.76946755863642800343e-02,0,1883.69,3966.4628,3824.053,7703.879,7703.879,7703.879,2.14205406532331971906e+03,5.40041385317749558217e+01,'2026-11-29 09:49:06.890201',1883.69,7703.879,NULL,NULL,1883.69,2,NULL,'[4527.93, 3824.05, 1892.76, 7703.88, 1883.69]');
INSERT INTO "measurements" VALUES(12,1,1,'all_reduce','mpi',NULL,NULL,'mpi',1,0,65536,16384,'float32','sum',2,5,3.55207259999999951116e+03,1.84500733459107800482e-02,1.84500733459107800482e-02,0,2713.903,3854.2356,3063.112,6789.83,6789.83,6789.83,1.49917922983699327234e+03,3.88969275733168302622e+01,'2026-11-29 09:49:06.903569',2713.903,6789.83,NULL,NULL,2713.903,2,NULL,'[3660.06, 2713.9, 3063.11, 3044.27, 6789.83]');
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
INSERT INTO "members" VALUES(1,0,1,2,0,'clean','{"control_host": "127.0.0.1", "control_port": 39625, "proxy_id": 0}',26,'2026-11-29 09:49:03.401891','2026-11-29 09:49:06.237232','2026-11-29 09:49:07.372720','2026-11-29 09:49:07.503951',0.001145,0.004275,'{"machine": "32eb165f-6232-4c50-a114-e659116db286", "processors": 2, "seconds": 3.84928653399993, "busy_seconds": 7.689999999999827, "own_seconds": 1.562216}');
INSERT INTO "members" VALUES(2,0,1,2,0,'clean','{"control_host": "127.0.0.1", "control_port": 43799, "proxy_id": 0}',14,'2026-11-29 09:49:09.433265','2026-11-29 09:49:12.043538','2026-11-29 09:49:30.905267','2026-11-29 09:49:31.088359',-0.002374,0.004077,'{"machine": "32eb165f-6232-4c50-a114-e659116db286", "processors": 2, "seconds": 21.284769104000134, "busy_seconds": 42.12999999999988, "own_seconds": 10.998372}');
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
INSERT INTO "node_minutes" VALUES(1,'2026-11-29 09:49:00.000000',9.5517578125,2053701632,0.0,NULL);
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
INSERT INTO "nodes" VALUES(1,'vm','127.0.0.1',4,'127.0.0.1:19025','{"hostname": "vm", "os": "Debian GNU/Linux 12 (bookworm)", "cpu_model": "AMD EPYC", "cores": 2, "memory_bytes": 25276502016, "gpus": [], "nics": [{"name": "eth0", "speed_mbit_per_s": null, "addresses": ["192.0.2.2", "fd00::2", "fe80::fc:ff:fe00:1"], "is_virtual": false}], "machine": {"hardware": "AMD EPYC; cores [0, 1], 2 at once; NumPy 2.4.6", "cores": 2, "call_us": 0.292885, "turn_us": 1.78151, "cache_bytes": 16777216, "add_gb_per_s": 45.92571829011913, "copy_gb_per_s": 41.82259093809828, "far_add_gb_per_s": 14.36974486900849, "far_copy_gb_per_s": 13.057271239000556}, "lacks": [], "only_here": true, "scripts": false}','{"ringscope": "0.1.0", "python": "3.11.7", "mpi4py": "4.1.2", "numpy": "2.4.6", "torch": "2.13.0+cpu", "tensorflow": "2.21.0", "mpi": "MPICH 5.0.2"}','{}','active','ready',1,'2026-11-29 09:49:01.465910','2026-11-29 09:49:31.196564','{}',1,'',NULL,NULL,'',-0.002374,4,0,'',NULL,0.004136,NULL,9.705078125);
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
INSERT INTO "rank_buckets" VALUES(2,0,3,4272.859,'[{"bytes": 340008, "ready_us": 4237.907, "start_us": 4277.837, "end_us": 5443.299}]');
INSERT INTO "rank_buckets" VALUES(2,1,3,889.092,'[{"bytes": 340008, "ready_us": 860.469, "start_us": 892.547, "end_us": 4359.108}]');
CREATE TABLE rank_pipeline_steps (
	attempt_id INTEGER NOT NULL, 
	rank INTEGER NOT NULL, 
	told JSON NOT NULL, 
	CONSTRAINT pk_rank_pipeline_steps PRIMARY KEY (attempt_id, rank), 
	CONSTRAINT fk_rank_pipeline_steps_attempt_id_attempts FOREIGN KEY(attempt_id) REFERENCES attempts (id)
);
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
	last_loss DOUBLE, input_us DOUBLE, 
	CONSTRAINT pk_rank_totals PRIMARY KEY (attempt_id, rank), 
	CONSTRAINT fk_rank_totals_attempt_id_attempts FOREIGN KEY(attempt_id) REFERENCES attempts (id)
);
INSERT INTO "rank_totals" VALUES(2,1,0,3,96,15197.084,5.36595699999999942511e+03,5.9571820000000006985e+03,5977.832,2.26310396194458,3853.295);
INSERT INTO "rank_totals" VALUES(2,0,0,3,96,1.71567149999999965072e+04,1.13372749999999978176e+04,2.31651299999999901041e+03,2.34242100000000027658e+03,2.24981331825256347656e+00,3477.019);
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
INSERT INTO "schedules" VALUES(1,'nightly','0 3 * * *','UTC','skip','{"name": "", "kind": "benchmark", "benchmark": {"collective": "all_reduce", "algorithms": ["ring"], "transport": "auto", "topology": null, "device": "auto", "dtype": "float32", "op": "sum", "root": 0, "min_bytes": 8, "max_bytes": 67108864, "step_factor": 2, "step_bytes": null, "cycles": 1, "warmup": 5, "iterations": 20, "aggregate": 1, "blocking": 0, "average": "mean", "per_iteration": false, "skip_iterations": 0, "rotate": false, "trace": false, "check": true, "timeout_seconds": 300}, "training": null, "script": null, "placement": {"ranks": 2, "min_ranks": null, "ranks_per_node": null, "nodes": null, "node_names": [], "selector": {}, "exclusive": true, "arrangement": "pack", "same_rack": false, "quiet": false, "gpu_model": null, "min_gpu_memory_bytes": null, "min_memory_bytes": null}, "priority": 50, "time_limit_seconds": 600, "start_seconds": null, "load_seconds": 1800, "hang_seconds": null, "queue_timeout_seconds": null, "hold": false, "max_attempts": 3, "labels": {}}','admin',1,1,'2026-11-29 09:49:31.698384','2026-11-30 03:00:00.000000',NULL,NULL,'');
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
	loss DOUBLE, samples INTEGER, lag INTEGER, input_us DOUBLE, memory_bytes BIGINT, 
	CONSTRAINT pk_steps PRIMARY KEY (id), 
	CONSTRAINT fk_steps_attempt_id_attempts FOREIGN KEY(attempt_id) REFERENCES attempts (id), 
	CONSTRAINT fk_steps_job_id_jobs FOREIGN KEY(job_id) REFERENCES jobs (id)
);
INSERT INTO "steps" VALUES(1,1,1,0,0,'all_reduce','ring','shared_memory',1,1024,1795945746619904654,1154.235,0.0,1154.235,1154.235,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "steps" VALUES(2,1,1,0,1,'all_reduce','mpi','mpi',0,1024,1795945746621913690,3556.505,0.0,3556.505,3556.505,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "steps" VALUES(3,1,1,0,2,'all_reduce','ring','shared_memory',0,1024,1795945746626317184,83.514,0.0,83.514,83.514,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "steps" VALUES(4,1,1,0,3,'all_reduce','mpi','mpi',1,1024,1795945746627131654,1186.203,0.0,1186.203,1186.203,NULL,NULL,NULL,NULL,NULL);
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
INSERT INTO "tokens" VALUES(1,'admin','personal','admin','a08cd4de6ca8035ee308725fa3ecb9d252f732bbb99e875425947007fa00945f','2026-11-29 09:48:59.401588',NULL,'of the data directory 57f4269d',NULL,NULL,'system','2026-11-29 09:49:31.739424',NULL,NULL,NULL);
INSERT INTO "tokens" VALUES(2,'join','join','join','b00480ec1507a5abb1428e382fd9aae5353da3ee03acc34c70c6d9858da2f89a','2026-11-29 09:48:59.401588',NULL,'of the data directory 57f4269d',NULL,NULL,'system','2026-11-29 09:49:01.402529',NULL,NULL,NULL);
INSERT INTO "tokens" VALUES(3,'vm','agent','agent','552a140de0eb950d0b12ca71dba82fee636092483a3f76c320b72a93bff6f400','2026-11-29 09:49:01.402763',NULL,'','vm',2,'join','2026-11-29 09:49:31.194499',NULL,NULL,NULL);
INSERT INTO "tokens" VALUES(4,'admin','login','admin','25ffe8a35ff8c6c31b9a8465b10ffdc963d3a3d413b47f7e2f71133c62b192e0','2026-11-29 09:49:01.493939','2026-11-30 09:49:01.493939','',NULL,1,'admin',NULL,NULL,NULL,NULL);
INSERT INTO "tokens" VALUES(5,'colleague','personal','viewer','7072777769b399cd94adb121fb7d8929651288fb031a7fa4b4df46facc6e21dd','2026-11-29 09:49:31.754572',NULL,'',NULL,NULL,'admin',NULL,NULL,NULL,NULL);
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
INSERT INTO "usage" VALUES('admin',5.41843653096553055101e+01,'2026-11-29 09:49:31.129768');
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
