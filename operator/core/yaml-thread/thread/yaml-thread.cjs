// Reads YAML in a thread of its own. Messages: see `yaml-work.ts`, whose address is `workerData.module`.
'use strict';
const { parentPort, workerData } = require('node:worker_threads');

const work = import(workerData.module);

parentPort.on('message', async (request) => {
  const { yamlWork } = await work;
  parentPort.postMessage(yamlWork(request));
});
