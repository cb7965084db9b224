export {
  LINEAGE_DEPTH_MAX,
  LINEAGE_NODES_MAX,
  type Lineage,
  type LineageBranch,
  type LineageFusion,
  type LineageLink,
  type LineageNode,
  lineageOf,
} from './lineage.ts';
