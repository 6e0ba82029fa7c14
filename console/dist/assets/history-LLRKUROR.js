import{c as a}from"/ibmmq/console/assets/chunk-VUOHR5NT.js";import"/ibmmq/console/assets/chunk-JWU64HXI.js";export{a as default};
