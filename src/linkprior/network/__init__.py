"""The observed network: an immutable CSR graph with names, and what else is known of it."""

from linkprior.network.known import History as History
from linkprior.network.known import Known as Known
from linkprior.network.names import distinct_names as distinct_names
from linkprior.network.names import node_name as node_name
from linkprior.network.network import Merged as Merged
from linkprior.network.network import Network as Network
