import{c as a}from"/ibmmq/console/assets/chunk-R4NGW3HJ.js";import"/ibmmq/console/assets/chunk-TCN5X7S5.js";export{a as default};
