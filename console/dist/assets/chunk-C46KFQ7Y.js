async function i(t,n,o){let{proposePut:r}=await import("/ibmmq/console/assets/put-B3DB75Q6.js");return r(t,n,o)}export{i as a};
