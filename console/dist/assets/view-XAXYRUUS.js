import{a}from"/ibmmq/console/assets/chunk-TVJO5U72.js";import"/ibmmq/console/assets/chunk-IJ7IRRKE.js";import"/ibmmq/console/assets/chunk-4SBCQF62.js";export{a as default};
