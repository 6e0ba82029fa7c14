import{c as a}from"/ibmmq/console/assets/chunk-WFOSBIZN.js";import"/ibmmq/console/assets/chunk-H4AGVQMR.js";export{a as default};
