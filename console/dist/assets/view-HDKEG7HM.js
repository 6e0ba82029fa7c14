import{a}from"/ibmmq/console/assets/chunk-V7WSD2M2.js";import"/ibmmq/console/assets/chunk-2M4ON3QF.js";import"/ibmmq/console/assets/chunk-U5QYUQZN.js";export{a as default};
