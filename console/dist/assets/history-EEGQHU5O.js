import{c as a}from"/ibmmq/console/assets/chunk-5CVL2BZD.js";import"/ibmmq/console/assets/chunk-WWFTPFJC.js";export{a as default};
