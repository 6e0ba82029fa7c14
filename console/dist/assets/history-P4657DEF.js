import{c as a}from"/ibmmq/console/assets/chunk-JRPMQRT4.js";import"/ibmmq/console/assets/chunk-NSK23OJJ.js";export{a as default};
