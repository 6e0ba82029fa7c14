import{c as a}from"/ibmmq/console/assets/chunk-2M4ON3QF.js";import"/ibmmq/console/assets/chunk-U5QYUQZN.js";export{a as default};
