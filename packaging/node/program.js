'use strict';

const path = require('node:path');

/** The path of the program: `$QUAYMASTER_BIN`, else that of this package. */
function program() {
  return process.env.QUAYMASTER_BIN || path.join(__dirname, 'bin', 'quaymaster');
}

module.exports = { program };
