// Reads YAML in a separate thread. For the messages see `yaml-work.ts`, whose address is `workerData.module`.
'use strict';
const { parentPort, workerData } = require('node:worker_threads');

const work = import(workerData.module);

parentPort.on('message', async (request) => {
  const { yamlWork } = await work;
  parentPort.postMessage(yamlWork(request));
});
