import{c as a}from"/ibmmq/console/assets/chunk-PUAY5ODB.js";import"/ibmmq/console/assets/chunk-ODZFBRZX.js";export{a as default};
