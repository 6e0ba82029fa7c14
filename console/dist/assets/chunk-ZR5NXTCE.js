async function i(t,n,o){let{proposePut:r}=await import("/ibmmq/console/assets/put-7DPPZRCO.js");return r(t,n,o)}export{i as a};
