grammar First;
import Shared;
a : s ;
