import{a}from"/ibmmq/console/assets/chunk-L2GKX36X.js";import"/ibmmq/console/assets/chunk-ZMGFWQVQ.js";import"/ibmmq/console/assets/chunk-KSSH2HPZ.js";export{a as default};
