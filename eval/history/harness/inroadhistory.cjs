'use strict';

// Runs parse, which the driver exports, and records a digest of its result.
const { createHash } = require('node:crypto');
const fs = require('node:fs');
const driver = require('./inroadhistory-driver.cjs');

const digest = (data) => createHash('sha256').update(data).digest('hex');

exports.fuzz = (data) => {
  let output;
  let error;
  try {
    output = driver.parse(data);
  } catch (e) {
    error = e;
    output = 'error: ' + e;
  }
  fs.appendFileSync(process.env.INROAD_HISTORY_RECORD, digest(data) + ' ' + digest(output) + '\n');
  if (error !== undefined) {
    throw error;
  }
};
