import{c as a}from"/ibmmq/console/assets/chunk-7RWHHPCS.js";import"/ibmmq/console/assets/chunk-OYY7GXYO.js";export{a as default};
