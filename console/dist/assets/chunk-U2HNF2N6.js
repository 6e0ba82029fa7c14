async function i(t,n,o){let{proposePut:r}=await import("/ibmmq/console/assets/put-WEJ5SBXO.js");return r(t,n,o)}export{i as a};
