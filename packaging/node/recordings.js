/** Files with what was recorded: lines of JSON, one for each message and one for each call of an API requester. */
'use strict';

const fs = require('node:fs/promises');

/** `messages` are lines already, `calls` the exchanges that the server shows. */
async function write(file, messages, calls) {
  await fs.writeFile(file, messages + calls.map((call) => `${JSON.stringify(call)}\n`).join(''));
}

/** The lines of the messages, and the calls. Rejects when the file has neither. */
async function read(file) {
  const lines = (await fs.readFile(file, 'utf8')).split('\n').filter((line) => line.trim());
  if (!lines.length) {
    throw new Error(`nothing is recorded in ${file}`);
  }
  const isCall = (line) => 'apiRequester' in JSON.parse(line);
  const messages = lines.filter((line) => !isCall(line)).map((line) => `${line}\n`);
  return { messages: messages.join(''), calls: lines.filter(isCall).map((line) => JSON.parse(line)) };
}

module.exports = { read, write };
