"""The spec: the YAML file that declares one report, read with positions and checked as a whole.

``read`` and ``from_dict`` give a frozen ``Spec``; ``schema``
gives what it may say as a JSON schema.
"""

from __future__ import annotations

from reportgen.spec.costs import CostColumn, Costs
from reportgen.spec.document import Place
from reportgen.spec.json_schema import schema
from reportgen.spec.models import Spec
from reportgen.spec.option_groups import Changes, Choice, Columns, Comparing, Output, TextSection
from reportgen.spec.outputs import (
    ClassModel,
    EstimateModel,
    LongClassModels,
    LongEstimateModels,
    LongModels,
    ScoreModel,
)
from reportgen.spec.reading import from_dict, read
from reportgen.spec.scores import ScoresSpec
from reportgen.spec.tasks import class_costs, class_names, task_of
