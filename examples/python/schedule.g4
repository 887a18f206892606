grammar schedule;

schedule : 'every ' interval on? until? EOF ;
interval : unit | NUMBER ' ' unit 's' ;
unit : 'day' | 'week' ;
on : ' on ' DAY (', ' DAY)* ;
until : ' until ' NUMBER '-' MONTH '-' NUMBER ;
DAY : 'mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun' ;
MONTH : '0' '1' .. '9' | '1' '0' .. '2' ;
NUMBER : [0-9] [0-9]? [0-9]? [0-9]? ;
