import{a}from"/ibmmq/console/assets/chunk-ZQSPVUMJ.js";import"/ibmmq/console/assets/chunk-KTRBJX7U.js";import"/ibmmq/console/assets/chunk-6AMHMI5U.js";export{a as default};
