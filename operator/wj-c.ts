import { ApiServer } from '/tmp/w-json/operator/testing/apiserver/api-server.ts';
const s = await ApiServer.start();
const c: any = {a:1}; c.self=c; c.other=c;
try { s.create({apiVersion:'v1',kind:'ConfigMap',metadata:{name:'x',namespace:'default'},data:c} as never); console.log('stored'); } catch(e){ console.log(String(e).slice(0,200)); }
s.create({apiVersion:'apiextensions.k8s.io/v1',kind:'CustomResourceDefinition',metadata:{name:'boxes.shop.example'},spec:{group:'shop.example',scope:'Cluster',names:{plural:'boxes',singular:'box',kind:'Box',listKind:'BoxList'},versions:[{name:'v1',served:true,storage:true,schema:{openAPIV3Schema:{type:'object','x-kubernetes-preserve-unknown-fields':true}}}]}} as never);
try { s.create({apiVersion:'shop.example/v1',kind:'Box',metadata:{name:'x'},spec:c} as never); console.log('stored'); } catch(e){ console.log(String(e).slice(0,200)); }
process.exit(0)
