"""The observed network: an immutable CSR graph with names, and what else is known of it."""

from linkprior.network.network import CleaningCounts as CleaningCounts
from linkprior.network.network import Network as Network
from linkprior.network.network import to_networkx as to_networkx
from linkprior.network.node_names import distinct_names as distinct_names
from linkprior.network.node_names import node_name as node_name
from linkprior.network.side_information import History as History
from linkprior.network.side_information import SideInformation as SideInformation
