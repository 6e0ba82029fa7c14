import{a}from"/ibmmq/console/assets/chunk-TTKP6MAR.js";import"/ibmmq/console/assets/chunk-JRPMQRT4.js";import"/ibmmq/console/assets/chunk-NSK23OJJ.js";export{a as default};
