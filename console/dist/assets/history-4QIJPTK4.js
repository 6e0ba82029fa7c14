import{c as a}from"/ibmmq/console/assets/chunk-NZGXGRFG.js";import"/ibmmq/console/assets/chunk-YJZIFG66.js";export{a as default};
