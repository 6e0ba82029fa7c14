async function i(t,n,o){let{proposePut:r}=await import("/ibmmq/console/assets/put-OJ7MFDTY.js");return r(t,n,o)}export{i as a};
