"""Write the client's views from frontend/openapi.json: `python -m scripts.client_views` renews client/views/.

The document has the types and the descriptions; TABLE has what the command line reads of it.
"""

import json
import re
import textwrap
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
DOCUMENT = ROOT / "frontend" / "openapi.json"
FOLDER = ROOT / "workers" / "ringscope" / "client" / "views"

# [module], then "View(Base) = Schema, Schema: fields" each; without "= Schema" the schema has the view's name. Of
# several schemas each field is taken from the first that has it. A server's answer may lack "name?", which then has the
# schema's default or else null, 0, "" or []; "name=1" has that default. "from:before" has another name here.
TABLE = """
[diagnoses]
WayRate: low high spread? messages?
PairEvidence: nodes rail? ending? there? back?
Blamed = BlamedPart: kind names rail? manner confidence sentence evidence?
Pair = PairView: nodes rail? round ending there back latency_us is_loaded? measured_at
Diagnosis = DiagnosisView: measure per? size_bytes both_ways nodes decided rounds sentence blamed cleared sentences
    undecided pairs next?
Baseline: source destination rail? low high measurements since?
DiagnosisBaselines: items

[events]
Event = EventView: id time actor action target_type target_id before after message
EventType: type meaning

[graphs]
Graphs: prometheus_url? grafana_url?

[imports]
Reference = BandwidthReference: kind busbw_gb_per_s low_gb_per_s high_gb_per_s source url?
SizeJudgement: size_bytes in_place word references?
Judgement = BandwidthJudgement: word sentence missing? sizes?
ImportedJob: job judgement
StoredFile: path is_new jobs
StoredFiles: files
ImportDetail = ImportView: job_id file sha256 tool notes? adopted_at? adopted_by?

[insights]
Insight = InsightDetail, InsightView: id kind rank? node? message since until? evidence?
Check: check is_checked sentence
Activity: doing is_loading? ranks? count? nodes? since?

[jobs]
Progress: done total?
SizeBusbw: size_bytes busbw_gb_per_s is_unstable?
Best = AlgorithmBest: algorithm size_bytes busbw_gb_per_s is_unstable?
Summary = BenchmarkSummary, TrainingSummary: verdict? explanation? best? wrong? sizes? min_size_p99_us?
    limit_gb_per_s? ranks? cores? lowered_max_bytes? loss? is_diverged=False validation_accuracy? samples_per_second?
    step_seconds? exposed_communication_seconds? input_seconds? epochs_done? steps_done? seconds_to_target?
    scaling_efficiency?
Pending = Pending, PlannedWait: reason sentence estimated_start? position?
Member = MemberView: node phase ranks=0
Attempt = AttemptView: number=1 nodes members? reason? message? bad_node? bad_rank? disturbed_by? created_at?
    started_at? finished_at?
Job = JobView: id name kind spec state reason message advice? user? note? created_at started_at finished_at
    fewer_ranks? is_adopted? judgement? priority=50 labels? revision=1 cloned_from? schedule_id? not_before?
    excluded_nodes? pending progress summary attempts? insights?
Share = PlannedShare: node slots
Delay = PlannedDelay: job_id name is_simulated? from:before? to:after?
QueuePlan: starts_now estimated_start pending shares? position=None placed_because? delays? preempted_jobs?

[monitoring]
TargetGroup: targets labels
MonitoringFile = MonitoringFileView: name kind description

[nodes]
Slot = SlotView: slot job_id? rank? quarantine?
Gpu: model memory_bytes
Inventory: cores memory_bytes gpus? allow_env? nccl_ras?
Node = NodeView: id name address? revision=1 desired desired_reason? desired_by? observed observed_reason?
    slots_total slots_busy slots_free=0 slots? inventory? versions? labels? leaves_at? heartbeat_age_seconds
    clock_offset_seconds? clock_error_seconds?
BusySlots: since until bin_seconds busy
Blame: job_id kind names
Cluster: version nodes_ready nodes_total slots_busy slots_total jobs_queued jobs_running jobs_finished blamed?
Readings = NodeReadings: node age_seconds load_average? memory_used_bytes? gpu_utilization_ratio?
    gpu_memory_used_bytes? gpu_temperature_celsius?
GpuState: index model? utilization_ratio? temperature_celsius? power_watts? power_limit_watts? clock_mhz?
    most_clock_mhz? slowed_by? ecc_corrected? ecc_uncorrected? is_remap_pending? nvlinks_up? nvlink_errors? xids?
NodeGpus: node age_seconds gpus
RasRemark = NodeRasRemark: kind communicator ranks? sentence
RasState = NodeRasState: address age_seconds error? answer? nccl_version? communicators? is_repaired? remarks?
NodeRas: node is_asked state
NodeHistory: node since until minute load_average? memory_used_bytes? network_bytes_per_second? gpu_utilization_ratio?
LinkWay: source destination low_gb_per_s high_gb_per_s messages
Link = LinkView: nodes busbw_gb_per_s rail? size_bytes is_unstable? algorithm transport job_id measured_at ways?
    both_ways?
LinkHistory: items rails?
RackLink = RackLinkView: racks pairs measured slowest_nodes slowest_gb_per_s slowest_low_gb_per_s slowest_high_gb_per_s
    median_gb_per_s newest_at
RackLinks = RackLinkPage: items

[planning]
PriceCell: shape ranks size_bytes fastest results
PriceTable: collective cells
Sensitivities = SensitivityList: factor items
JobFit: transport ranks regimes median_error r_squared
Example: algorithm example

[predictions]
PredictedRow: algorithm size_bytes time_us busbw_gb_per_s
Model: rows source median_error?
Prediction: model operations_seconds buffer_bytes warnings?
GradientSum: algorithm time_us pieces every_steps=1 source
BaselineTraining: job_id samples_per_second steps_seconds
TrainingPrediction: parameters gradient_bytes steps_total ideal_bubble? gradient_sum baseline
LeftOutCandidate: name reason
SearchPreview: candidates left_out nodes warnings?
CandidateForecast: name sums_us algorithm
SearchForecast: candidates source
BaselineRow: algorithm in_place size_bytes median_gb_per_s runs
JobPrediction: model baseline
Against: ratio ratio_low ratio_high noise
ComparedRow: algorithm size_bytes in_place time_us median_us? is_unstable against
Standing: job_id obstacles algorithm size_bytes ratio ratio_low ratio_high
Standings: base jobs
Regression: job_id base_job_id collective algorithm size_bytes nodes ratio ratio_low ratio_high
Regressions: pairs items
Interpolated: algorithm in_place sentence base_min_bytes base_max_bytes min_bytes ratio_least ratio_most
ComparedJob: job_id obstacles rows interpolated?
Comparison: base jobs

[results]
SizeFastest: size_bytes algorithms
RangeVerdict: min_bytes max_bytes verdict explanation fastest?
Step = StepView: rank step started_at_ns server_time_ns? clock_error_us? duration_us
StepBlock = StepBlockView: rank op algorithm transport in_place bytes steps last_step started_at_ns last_us
    mean_us min_us max_us busbw_gb_per_s
NewestSteps: job_id attempt_id ranks items
Arrival = ArrivalView: step last_rank last_node late_us error_us is_real
LogLine: id number? node rank stream time_ns text
LogOutline: lines lines_per_page cursors line_at?
LatencyPoint: share time_us
LatencyCurve: count points
RankLateness: rank node mean_late_us error_us last_steps late_us
Lateness: first_step steps steps_per_column ranks after_us
NodeEnvironment: host ranks versions
AttemptEnvironment: attempt nodes

[schedules]
Schedule = ScheduleView: id name cron timezone overlap is_enabled drain_on_blame? spec user? revision=1 next_fire_at?
    last_fire_at? last_job_id? last_outcome?

[tokens]
Token = TokenView: id name kind role note? node? created_by? created_at? expires_at? last_used_at?
    rotation_wanted_at?
NewToken(Token): secret
LoginLink: url expires_at
ShareLink: id url expires_at
Me: name role

[training]
Epoch = EpochView: id attempt=1 epoch step training_loss validation_loss validation_accuracy samples
    duration_us validation_us? checkpoint_us?
CurvePoint: first_step last_step loss samples_per_second duration_us compute_us communication_us exposed_us input_us?
    memory_bytes?
CurvePart: job_id attempt first_step last_step
Curve = TrainingCurve: points steps_per_point attempts
Bucket: bytes ready_us start_us end_us layer? direction?
RankBuckets = RankBucketsView: rank step backward_us buckets
CalledCollective = CalledCollectiveView: collective least_bytes mean_bytes ranks calls bytes time_us algbw_gb_per_s
CalledCollectives = CalledCollectiveList: items ranks
PipelineStep: rank step stage replica peak_activations kind part micro_batch start_us end_us
Pipeline = PipelineView: items bubble ideal_bubble
TensorCost: sums sum_bytes divided_share step_us sum_us compute_us alone_us baseline_job_id pays sentence reason

CandidateResult: name state reason? round? runs? samples_per_second? samples_per_second_low?
    samples_per_second_high? times_as_long? times_as_long_low? times_as_long_high? step_us? compute_us? input_us?
    exposed_us? communication_us? exchanged_bytes? sent_bytes? most_sent_bytes? peak_bytes? is_exact? same_bits?
    difference? seconds_to_target? epochs_to_target? accuracy?
RunningCandidate: name round epochs?
Search = SearchView: winner sentence candidates runs spent_seconds budget_seconds is_complete running

[webhooks]
Webhook = WebhookView: id name url events is_enabled revision=1
NewWebhook(Webhook): secret
Delivery = DeliveryView: id event_type state tries? last_status? last_error? next_attempt_at? created_at
    delivered_at?
"""

WIDTH = 120
# what is no view, but a class that server and command line share
SHARED = {"JobSpec": "ringscope.contracts.job"}
_TYPES = {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}
_EMPTY = {"str": '""', "int": "0", "float": "0.0", "bool": "False", "list": "[]", "dict": "{}"}
_VIEW = re.compile(r"(?P<name>\w+)(\((?P<base>\w+)\))?( = (?P<schemas>[\w, ]+))?: (?P<fields>.+)")
_FIELD = re.compile(r"(?P<there>\w+)(:(?P<here>\w+))?((?P<optional>\?)|=(?P<default>\S+))?")

Schema = dict[str, Any]


class TableError(Exception):
    """The table names something that the document lacks."""


@dataclass(frozen=True)
class Row:
    """One view of the table."""

    module: str
    name: str
    base: str
    schemas: list[str]
    fields: list[str]


@dataclass
class Module:
    """One generated module, as far as it is written."""

    classes: list[str] = field(default_factory=list)
    imports: dict[str, set[str]] = field(default_factory=dict)

    def text(self, name: str) -> str:
        """Return the module's source."""
        body = "\n\n\n".join(self.classes)
        if "Field(" in body:
            self.imports["pydantic"] = {"Field"}
        typed = {"datetime": "datetime", "Any": "typing"}
        standard = {module: {word} for word, module in typed.items() if re.search(rf"\b{word}\b", body)}
        own = {module: names for module, names in self.imports.items() if module.startswith("ringscope")}
        third = {module: names for module, names in self.imports.items() if module not in own}
        head = f'"""Views of {name}. Generated by scripts/client_views.py from frontend/openapi.json; do not edit."""'
        blocks = [head, *(_imports(group) for group in (standard, third, own) if group)]
        return "\n\n".join(blocks) + f"\n\n\n{body}\n"


def write() -> None:
    """Write the modules as they are now, and remove those that are no longer in the table."""
    written = modules(json.loads(DOCUMENT.read_text()))
    for path in FOLDER.glob("[a-z]*.py"):
        if path.name not in written:
            path.unlink()
    for name, text in written.items():
        (FOLDER / name).write_text(text)


def modules(document: Schema, table: str = TABLE) -> dict[str, str]:
    """The source of each module by its file's name; TableError for a field that the document lacks."""
    schemas = document["components"]["schemas"]
    rows = list(_rows(table))
    written: dict[str, Module] = {}
    views = {schema: row for row in rows for schema in row.schemas}
    for row in rows:
        module = written.setdefault(row.module, Module())
        module.classes.append(_class(row, schemas, views, module))
    return {f"{name}.py": module.text(name) for name, module in written.items()}


def _rows(table: str) -> Iterable[Row]:
    module = ""
    for line in table.strip().replace("\n    ", " ").splitlines():
        if line.startswith("["):
            module = line.strip("[]")
        elif found := _VIEW.fullmatch(line):
            schemas = (found["schemas"] or found["name"]).split(", ")
            yield Row(module, found["name"], found["base"] or "View", schemas, found["fields"].split())
        elif line:
            raise TableError(f"This line of the table is no view: {line}")


def _class(row: Row, schemas: Schema, views: dict[str, Row], module: Module) -> str:
    if row.base == "View":
        module.imports.setdefault("ringscope.client.view", set()).add("View")
    if missing := [name for name in row.schemas if name not in schemas]:
        raise TableError(f"The document has no schema {missing[0]}, which the view {row.name} is made from.")
    lines, sources = [], dict[str, None]()
    for written in row.fields:
        found = _FIELD.fullmatch(written)
        if found is None:
            raise TableError(f"The view {row.name} has a field that cannot be read: {written}")
        source = next((name for name in row.schemas if found["there"] in schemas[name]["properties"]), None)
        if source is None:
            raise TableError(f"No schema of the view {row.name} has the field {found['there']}.")
        sources[source] = None
        lines.append(_line(row, found, schemas[source]["properties"][found["there"]], views, module))
    said = " ".join(schemas[name]["description"].split("\n\n")[0].replace("\n", " ") for name in sources)
    return "\n".join([f"class {row.name}({row.base}):", *_docstring(said), "", *(f"    {line}" for line in lines)])


def _docstring(said: str) -> list[str]:
    quotes = '"""'
    if len(said) + 10 <= WIDTH:
        return [f"    {quotes}{said}{quotes}"]
    first, *rest = textwrap.wrap(quotes + said, WIDTH - 4 - len(quotes))
    return [f"    {line}" for line in (first, *rest, quotes)]


def _line(row: Row, found: re.Match[str], schema: Schema, views: dict[str, Row], module: Module) -> str:
    kind = _type(schema, row, views, module)
    default = found["default"]
    if found["optional"]:
        default = _default(schema, kind)
    if default == "None" and not kind.endswith("| None"):
        kind += " | None"
    if found["here"]:
        default = f'Field({default or "..."}, alias="{found["there"]}")'
    return f"{found['here'] or found['there']}: {kind}" + (f" = {default}" if default else "")


def _default(schema: Schema, kind: str) -> str:
    if "default" in schema:
        default = schema["default"]
        return json.dumps(default) if isinstance(default, str) else repr(default)
    return _EMPTY.get(kind.split("[")[0], "None")


def _type(schema: Schema, row: Row, views: dict[str, Row], module: Module) -> str:
    """The annotation of a schema; an enumeration is a str, since a newer server may have more words."""
    if "$ref" in schema:
        return _class_of(schema["$ref"].rsplit("/", 1)[1], row, views, module)
    if several := schema.get("anyOf") or schema.get("oneOf"):
        kinds = dict.fromkeys(_type(one, row, views, module) for one in several if one.get("type") != "null")
        optional = ["None"] if {"type": "null"} in several else []
        return " | ".join([*kinds, *optional])
    kind = schema.get("type")
    if schema.get("format") == "date-time":
        return "datetime"
    if kind == "array":
        return f"list[{_type(schema['items'], row, views, module)}]"
    if kind == "object":
        values = schema.get("additionalProperties", True)
        return f"dict[str, {_type(values, row, views, module) if isinstance(values, dict) else 'Any'}]"
    return _TYPES.get(kind or "", "Any")


def _class_of(schema: str, row: Row, views: dict[str, Row], module: Module) -> str:
    """The view of a schema, imported if need be; one that the table lacks stays a dictionary."""
    if schema in SHARED:
        module.imports.setdefault(SHARED[schema], set()).add(schema)
        return schema
    view = views.get(schema)
    if view is None:
        return "dict[str, Any]"
    if view.module != row.module:
        module.imports.setdefault(f"ringscope.client.views.{view.module}", set()).add(view.name)
    return view.name


def _imports(group: dict[str, set[str]]) -> str:
    return "\n".join(f"from {module} import {', '.join(sorted(names))}" for module, names in sorted(group.items()))


if __name__ == "__main__":
    write()
