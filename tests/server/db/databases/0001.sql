BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0001');
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
INSERT INTO "allocations" VALUES(2,2,1,2,0);
INSERT INTO "allocations" VALUES(2,3,1,3,0);
CREATE TABLE attempts (
	id INTEGER NOT NULL, 
	job_id INTEGER NOT NULL, 
	number INTEGER NOT NULL, 
	token TEXT NOT NULL, 
	is_launched BOOLEAN NOT NULL, 
	created_at DATETIME NOT NULL, 
	started_at DATETIME, 
	finished_at DATETIME, 
	environment JSON, 
	CONSTRAINT pk_attempts PRIMARY KEY (id), 
	CONSTRAINT fk_attempts_job_id_jobs FOREIGN KEY(job_id) REFERENCES jobs (id), 
	CONSTRAINT uq_attempts_job_id UNIQUE (job_id, number)
);
INSERT INTO "attempts" VALUES(1,1,1,'e6cd15529f435d09c93b88267bfc64a8',1,'2026-11-29 09:44:50.177814','2026-11-29 09:44:53.158509','2026-11-29 09:44:53.969317','{"nodes": [{"rank": 0, "host": "vm", "ranks": [0, 1], "versions": {"python": "3.11.7", "ringscope": "0.1.0", "numpy": "2.4.6", "mpi4py": "4.1.2", "mpich": "5.0.2", "ml-dtypes": "0.6.0", "numkong": "7.8.6", "torch": "2.13.0+cpu", "mpi": "5.0", "mpi_library": "MPICH Version: 5.0.2", "kernel": "Linux 6.18.44-fc-v669", "glibc": "2.36"}, "variables": {"OMP_NUM_THREADS": "1", "RINGSCOPE_POSITIONS": "/var/lib/ringscope/agent/attempts/1/positions", "RINGSCOPE_TUNING": "/var/lib/ringscope/agent/attempts/1/tuning.json"}, "cpu_model": "AMD EPYC", "cores": 2, "physical_cores": 2, "sockets": 1, "numa_nodes": 1, "memory_bytes": 25276502016, "time_ns": 1795945493067427038}], "ranks": [{"rank": 0, "local_rank": 0, "ranks": 2, "pid": 20329, "host": "vm", "device": "cpu", "cpus": [0, 1], "numa_node": 0, "time_ns": 1795945493023605976}, {"rank": 1, "local_rank": 1, "ranks": 2, "pid": 20330, "host": "vm", "device": "cpu", "cpus": [0, 1], "numa_node": 0, "time_ns": 1795945493021483767}]}');
INSERT INTO "attempts" VALUES(2,2,1,'95b121c34c5e5ff8d9a9d50639c1a0a4',0,'2026-11-29 09:44:54.274258',NULL,'2026-11-29 09:44:55.153703',NULL);
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
INSERT INTO "events" VALUES(1,'2026-11-29 09:44:49.603524','node/vm','node.registered','node','vm',NULL,'ready','');
INSERT INTO "events" VALUES(2,'2026-11-29 09:44:50.167646','admin','job.submitted','job','1',NULL,'queued','');
INSERT INTO "events" VALUES(3,'2026-11-29 09:44:50.177814','system','job.starting','job','1','queued','starting','');
INSERT INTO "events" VALUES(4,'2026-11-29 09:44:53.158509','system','job.running','job','1','starting','running','');
INSERT INTO "events" VALUES(5,'2026-11-29 09:44:53.716991','system','job.stopping','job','1','running','stopping','completed');
INSERT INTO "events" VALUES(6,'2026-11-29 09:44:53.969317','system','job.succeeded','job','1','stopping','succeeded','completed');
INSERT INTO "events" VALUES(7,'2026-11-29 09:44:54.254678','admin','job.submitted','job','2',NULL,'queued','');
INSERT INTO "events" VALUES(8,'2026-11-29 09:44:54.274258','system','job.starting','job','2','queued','starting','');
INSERT INTO "events" VALUES(9,'2026-11-29 09:44:54.356397','admin','job.stopping','job','2','starting','stopping','Cancelled by admin.');
INSERT INTO "events" VALUES(10,'2026-11-29 09:44:55.153703','system','job.cancelled','job','2','stopping','cancelled','Cancelled by admin.');
CREATE TABLE idempotency_keys (
	user TEXT NOT NULL, 
	"key" TEXT NOT NULL, 
	body_sha256 TEXT NOT NULL, 
	job_id INTEGER NOT NULL, 
	created_at DATETIME NOT NULL, 
	CONSTRAINT pk_idempotency_keys PRIMARY KEY (user, "key"), 
	CONSTRAINT fk_idempotency_keys_job_id_jobs FOREIGN KEY(job_id) REFERENCES jobs (id)
);
INSERT INTO "idempotency_keys" VALUES('admin','1795945490.1529195','776888c3d625101793486fa4f0e9f5ece6e42a99f90bd9b7c9c3580b014bbeb1',1,'2026-11-29 09:44:50.167646');
INSERT INTO "idempotency_keys" VALUES('admin','1795945494.2061718','12fe8b0362e3287ba4316c89092d8409c0632373936b25b0495eee46bbf873a0',2,'2026-11-29 09:44:54.254678');
CREATE TABLE jobs (
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
	CONSTRAINT pk_jobs PRIMARY KEY (id)
);
INSERT INTO "jobs" VALUES(1,'sums','benchmark','{"name": "sums", "kind": "benchmark", "benchmark": {"collective": "all_reduce", "algorithms": ["ring", "mpi"], "transport": "auto", "topology": null, "device": "auto", "dtype": "float32", "op": "sum", "root": 0, "min_bytes": 1024, "max_bytes": 65536, "step_factor": 8, "step_bytes": null, "cycles": 1, "warmup": 1, "iterations": 5, "aggregate": 1, "blocking": 0, "average": "mean", "per_iteration": false, "skip_iterations": 0, "rotate": false, "check": true, "timeout_seconds": 300}, "placement": {"ranks": 2, "ranks_per_node": null, "nodes": null, "selector": {}}, "priority": 50, "time_limit_seconds": 600, "labels": {}}','admin',50,'{}','succeeded','completed','','2026-11-29 09:44:50.167646','2026-11-29 09:44:53.158509','2026-11-29 09:44:53.969317',NULL,NULL,NULL,12,'{"best": [{"algorithm": "ring", "transport": "shared_memory", "busbw_gb_per_s": 8.55070194666249, "size_bytes": 65536, "in_place": true}, {"algorithm": "mpi", "transport": "mpi", "busbw_gb_per_s": 1.1365780564959211, "size_bytes": 8192, "in_place": true}], "wrong": 0, "verdict": "ring is 6.5x MPI_Allreduce at 64 KiB (median iteration)"}');
INSERT INTO "jobs" VALUES(2,'never','benchmark','{"name": "never", "kind": "benchmark", "benchmark": {"collective": "all_reduce", "algorithms": ["ring"], "transport": "auto", "topology": null, "device": "auto", "dtype": "float32", "op": "sum", "root": 0, "min_bytes": 8, "max_bytes": 67108864, "step_factor": 2, "step_bytes": null, "cycles": 1, "warmup": 5, "iterations": 20, "aggregate": 1, "blocking": 0, "average": "mean", "per_iteration": false, "skip_iterations": 0, "rotate": false, "check": true, "timeout_seconds": 300}, "placement": {"ranks": 4, "ranks_per_node": null, "nodes": null, "selector": {}}, "priority": 50, "time_limit_seconds": 600, "labels": {}}','admin',50,'{}','cancelled','user_cancelled','Cancelled by admin.','2026-11-29 09:44:54.254678',NULL,'2026-11-29 09:44:55.153703',NULL,NULL,NULL,0,'{"best": [], "wrong": 0, "verdict": ""}');
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
INSERT INTO "log_lines" VALUES(1,1,1,'vm',NULL,'stdout',1795945493700531352,'[mpiexec@vm] Exit codes: [127.0.0.1] 0,0');
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
	measured_at DATETIME NOT NULL, 
	CONSTRAINT pk_measurements PRIMARY KEY (id), 
	CONSTRAINT fk_measurements_attempt_id_attempts FOREIGN KEY(attempt_id) REFERENCES attempts (id), 
	CONSTRAINT fk_measurements_job_id_jobs FOREIGN KEY(job_id) REFERENCES jobs (id)
);
INSERT INTO "measurements" VALUES(1,1,1,'all_reduce','ring',NULL,NULL,'shared_memory',0,0,1024,256,'float32','sum',2,5,1.47419880000000011934e+03,6.94614593364205725259e-04,6.94614593364205725259e-04,0,6.079,1.70042700000000013456e+03,10.055,8378.631,8378.631,8378.631,3.33929170229807868969e+03,1.96379597730339384041e+02,'2026-11-29 09:44:53.168411');
INSERT INTO "measurements" VALUES(2,1,1,'all_reduce','ring',NULL,NULL,'shared_memory',1,0,1024,256,'float32','sum',2,5,1.27948729999999977733e+03,8.00320565901670231793e-04,8.00320565901670231793e-04,0,5.318,2528.0748,8.572,12597.791,12597.791,12597.791,5.03486241743948266958e+03,1.99157968642363073291e+02,'2026-11-29 09:44:53.177096');
INSERT INTO "measurements" VALUES(3,1,1,'all_reduce','mpi',NULL,NULL,'mpi',0,0,1024,256,'float32','sum',2,5,4.65689100000000053133e+02,2.19889192167048788673e-03,2.19889192167048788673e-03,0,5.408,9.10148799999999937385e+02,6.089,4485.757,4485.757,4485.757,1.78787668666543095243e+03,196.437844742028,'2026-11-29 09:44:53.209069');
INSERT INTO "measurements" VALUES(4,1,1,'all_reduce','mpi',NULL,NULL,'mpi',1,0,1024,256,'float32','sum',2,5,7.22469999999999856754e+00,1.41735989037607118534e-01,1.41735989037607118534e-01,0,5.178,8.3386,5.789,19.439,19.439,19.439,5.56023634749459194637e+00,6.66806939713452209153e+01,'2026-11-29 09:44:53.213755');
INSERT INTO "measurements" VALUES(5,1,1,'all_reduce','ring',NULL,NULL,'shared_memory',0,0,8192,2048,'float32','sum',2,5,1.92246000000000023533e+01,4.2612069952040609877e-01,4.2612069952040609877e-01,0,5.058,2.06026000000000024674e+01,6.599,70.474,70.474,70.474,2.51786100378873207712e+01,1.22210837651011601674e+02,'2026-11-29 09:44:53.272698');
INSERT INTO "measurements" VALUES(6,1,1,'all_reduce','ring',NULL,NULL,'shared_memory',1,0,8192,2048,'float32','sum',2,5,4.049221400000000358e+03,2.02310498507194454903e-03,2.02310498507194454903e-03,0,5.238,6910.8,18.698,19183.969,19183.969,19183.969,8538.61301916706,1.23554624922831806092e+02,'2026-11-29 09:44:53.276089');
INSERT INTO "measurements" VALUES(7,1,1,'all_reduce','mpi',NULL,NULL,'mpi',0,0,8192,2048,'float32','sum',2,5,24.2421,3.37924519740451512195e-01,3.37924519740451512195e-01,0,7.411,30.8178,8.242,119.267,119.267,119.267,4.4243978308465884198e+01,1.43566310082049625402e+02,'2026-11-29 09:44:53.306234');
INSERT INTO "measurements" VALUES(8,1,1,'all_reduce','mpi',NULL,NULL,'mpi',1,0,8192,2048,'float32','sum',2,5,7.20759999999999934061e+00,1.13657805649592114072e+00,1.13657805649592114072e+00,0,6.82,7.46500000000000074606e+00,7.311,9.023,9.023,9.023,0.809405460816765,1.08426719466411913828e+01,'2026-11-29 09:44:53.306513');
INSERT INTO "measurements" VALUES(9,1,1,'all_reduce','ring',NULL,NULL,'shared_memory',0,0,65536,16384,'float32','sum',2,5,21.1405,3.10002128615690253354e+00,3.10002128615690253354e+00,0,7.672,23.441,10.987,74.301,74.301,74.301,2.56277116653048047116e+01,1.09328576704512627772e+02,'2026-11-29 09:44:53.403870');
INSERT INTO "measurements" VALUES(10,1,1,'all_reduce','ring',NULL,NULL,'shared_memory',1,0,65536,16384,'float32','sum',2,5,7.66440000000000054569e+00,8.55070194666249,8.55070194666249,0,5.889,7.9078,6.61,13.38,13.38,13.38,2.77455721872878324774e+00,3.50863352478411556485e+01,'2026-11-29 09:44:53.404082');
INSERT INTO "measurements" VALUES(11,1,1,'all_reduce','mpi',NULL,NULL,'mpi',0,0,65536,16384,'float32','sum',2,5,2987.3124,2.19381140050836330457e-02,2.19381140050836330457e-02,0,67.38,3973.8898,71.647,19552.787,19552.787,19552.787,7.78946381687765097021e+03,1.96016100317569225801e+02,'2026-11-29 09:44:53.406620');
INSERT INTO "measurements" VALUES(12,1,1,'all_reduce','mpi',NULL,NULL,'mpi',1,0,65536,16384,'float32','sum',2,5,60.9786,1.07473769486344394863e+00,1.07473769486344394863e+00,0,58.387,61.3832,59.028,65.728,65.728,65.728,3.26331337140642707694e+00,5.3162972464883333501e+00,'2026-11-29 09:44:53.426728');
CREATE TABLE members (
	attempt_id INTEGER NOT NULL, 
	member INTEGER NOT NULL, 
	node_id INTEGER NOT NULL, 
	slots INTEGER NOT NULL, 
	first_rank INTEGER NOT NULL, 
	phase TEXT NOT NULL, 
	proxy JSON, 
	last_sequence INTEGER NOT NULL, 
	CONSTRAINT pk_members PRIMARY KEY (attempt_id, member), 
	CONSTRAINT fk_members_attempt_id_attempts FOREIGN KEY(attempt_id) REFERENCES attempts (id), 
	CONSTRAINT fk_members_node_id_nodes FOREIGN KEY(node_id) REFERENCES nodes (id)
);
INSERT INTO "members" VALUES(1,0,1,2,0,'clean','{"control_host": "127.0.0.1", "control_port": 33353, "proxy_id": 0}',42);
INSERT INTO "members" VALUES(2,0,1,4,0,'clean',NULL,0);
CREATE TABLE nodes (
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
	CONSTRAINT pk_nodes PRIMARY KEY (id), 
	CONSTRAINT uq_nodes_name UNIQUE (name)
);
INSERT INTO "nodes" VALUES(1,'vm','127.0.0.1',4,'127.0.0.1:19001','{"hostname": "vm", "os": "Debian GNU/Linux 12 (bookworm)", "cpu_model": "AMD EPYC", "cores": 2, "memory_bytes": 25276502016, "gpus": []}','{"python": "3.11.7", "ringscope": "0.1.0", "mpi4py": "4.1.2", "numpy": "2.4.6", "mpi": "MPICH 5.0.2"}','{}','active','ready',1,'2026-11-29 09:44:49.603524','2026-11-29 09:44:55.250564');
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
	loss DOUBLE, 
	CONSTRAINT pk_steps PRIMARY KEY (id), 
	CONSTRAINT fk_steps_attempt_id_attempts FOREIGN KEY(attempt_id) REFERENCES attempts (id), 
	CONSTRAINT fk_steps_job_id_jobs FOREIGN KEY(job_id) REFERENCES jobs (id)
);
INSERT INTO "steps" VALUES(1,1,1,0,0,'all_reduce','ring','shared_memory',0,1024,1795945493168410778,8378.631,0.0,8378.631,8378.631,NULL);
INSERT INTO "steps" VALUES(2,1,1,0,1,'all_reduce','ring','shared_memory',0,1024,1795945493176789409,99.759,0.0,99.759,99.759,NULL);
INSERT INTO "steps" VALUES(3,1,1,0,2,'all_reduce','ring','shared_memory',0,1024,1795945493176889168,9.704,0.0,9.704,9.704,NULL);
INSERT INTO "steps" VALUES(4,1,1,0,3,'all_reduce','ring','shared_memory',0,1024,1795945493176898872,7.611,0.0,7.611,7.611,NULL);
CREATE TABLE tokens (
	id INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	role TEXT NOT NULL, 
	sha256 TEXT NOT NULL, 
	created_at DATETIME NOT NULL, 
	expires_at DATETIME, 
	CONSTRAINT pk_tokens PRIMARY KEY (id), 
	CONSTRAINT uq_tokens_sha256 UNIQUE (sha256)
);
INSERT INTO "tokens" VALUES(1,'admin','personal','admin','6ef12fb94a562577019a2233b6211e344e9114898823954a9171de71ed79f638','2026-11-29 09:44:46.566079',NULL);
INSERT INTO "tokens" VALUES(2,'agent','agent','agent','acc1cbf5cd49e692556f3690711c3097106af5a601f2d0951480a4b7c4ede813','2026-11-29 09:44:46.583212',NULL);
INSERT INTO "tokens" VALUES(3,'admin','login','admin','6057ac9750848c0ddde4586aa343e7494b5c35183dfcb071a52956294de226c9','2026-11-29 09:44:49.690606','2026-11-30 09:44:49.685139');
CREATE INDEX ix_events_target ON events (target_type, target_id, id);
CREATE INDEX ix_jobs_state_priority ON jobs (state, priority, id);
CREATE INDEX ix_attempts_job_id ON attempts (job_id);
CREATE UNIQUE INDEX uq_allocations_active_slot ON allocations (node_id, slot) WHERE is_active;
CREATE INDEX ix_log_lines_job_id ON log_lines (job_id);
CREATE INDEX ix_measurements_job_id ON measurements (job_id);
CREATE INDEX ix_members_node_phase ON members (node_id, phase);
CREATE INDEX ix_steps_job_rank_step ON steps (job_id, rank, step);
COMMIT;
