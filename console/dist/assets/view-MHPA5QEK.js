import{a}from"/ibmmq/console/assets/chunk-NB4Z6LB6.js";import"/ibmmq/console/assets/chunk-7RWHHPCS.js";import"/ibmmq/console/assets/chunk-OYY7GXYO.js";export{a as default};
