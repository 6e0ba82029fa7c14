import{a}from"/ibmmq/console/assets/chunk-EJJKX6LG.js";import"/ibmmq/console/assets/chunk-DKP6ODNI.js";import"/ibmmq/console/assets/chunk-EL66LFOK.js";export{a as default};
