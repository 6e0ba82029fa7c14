import{c as a}from"/ibmmq/console/assets/chunk-AN6PCUD7.js";import"/ibmmq/console/assets/chunk-NDC3I7YM.js";export{a as default};
