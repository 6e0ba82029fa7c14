/**
 * Quaymaster for Node programs: where its program is, and servers that live as long as a test. Nothing here needs another package.
 */
'use strict';

const { withServer, withServerAlone, withServerControlled } = require('./fixtures.js');
const { program } = require('./program.js');
const { MqscError, RestError, Server } = require('./server.js');

module.exports = { MqscError, RestError, Server, program, withServer, withServerAlone, withServerControlled };
