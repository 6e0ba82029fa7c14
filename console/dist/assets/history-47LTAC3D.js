import{c as a}from"/ibmmq/console/assets/chunk-2HZIOWDE.js";import"/ibmmq/console/assets/chunk-6U35UQQN.js";export{a as default};
