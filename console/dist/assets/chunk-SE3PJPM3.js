async function i(t,n,o){let{proposePut:r}=await import("/ibmmq/console/assets/put-HGSMXESP.js");return r(t,n,o)}export{i as a};
