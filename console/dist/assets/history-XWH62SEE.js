import{c as a}from"/ibmmq/console/assets/chunk-ZMGFWQVQ.js";import"/ibmmq/console/assets/chunk-KSSH2HPZ.js";export{a as default};
