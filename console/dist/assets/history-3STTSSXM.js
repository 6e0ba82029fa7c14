import{c as a}from"/ibmmq/console/assets/chunk-5SHAYBNB.js";import"/ibmmq/console/assets/chunk-ZNL323OA.js";export{a as default};
