      * A message is put here, and committed by a part in C.
       IDENTIFICATION DIVISION.
       PROGRAM-ID. MIXED.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  CONSTANTS.
           COPY CMQV.
       01  OD.
           COPY CMQODV.
       01  MD.
           COPY CMQMDV.
       01  PMO.
           COPY CMQPMOV.
       01  QMGR                 PIC X(48) VALUE 'QM1'.
       01  HCONN                PIC S9(9) BINARY.
       01  COMPCODE             PIC S9(9) BINARY.
       01  REASON               PIC S9(9) BINARY.
       01  BUFFER               PIC X(5) VALUE 'mixed'.
       01  BUFFER-LENGTH        PIC S9(9) BINARY VALUE 5.
       01  SHOWN-REASON         PIC 9(4).
       PROCEDURE DIVISION.
           CALL 'MQCONN' USING QMGR HCONN COMPCODE REASON.
           MOVE REASON TO SHOWN-REASON.
           DISPLAY 'MQCONN ' SHOWN-REASON.
           MOVE 'DEV.QUEUE.2' TO MQOD-OBJECTNAME.
           MOVE MQPMO-SYNCPOINT TO MQPMO-OPTIONS.
           CALL 'MQPUT1' USING HCONN OD MD PMO BUFFER-LENGTH BUFFER
               COMPCODE REASON.
           MOVE REASON TO SHOWN-REASON.
           DISPLAY 'MQPUT1 ' SHOWN-REASON.
           CALL 'COMMIT' USING HCONN.
           CALL 'MQBACK' USING HCONN COMPCODE REASON.
           CALL 'MQDISC' USING HCONN COMPCODE REASON.
           STOP RUN RETURNING 0.
